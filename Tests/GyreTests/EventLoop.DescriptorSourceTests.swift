import Glibc
import Gyre
import Testing

@Suite struct EventLoopDescriptorSourceTests {
  @Test func aPipeWithBytesIsReadableAndTheyAreAllThere() {
    let text = onThread {
      let log = Log()
      let pipe = Pipe()
      let source = EventLoop.DescriptorSource(descriptor: pipe.readEnd) { events in
        log.add(events == .readable ? "readable" : "\(events.rawValue)")
        log.add(pipe.read())
      }
      try? EventLoop.current.add(source, to: .default)
      pipe.write("twelve bytes")
      let result = EventLoop.current.run(
        mode: .default, for: .seconds(10), returnAfterSource: true)
      source.invalidate()
      return "\(log.text) \(result) \(source.descriptor == pipe.readEnd)"
    }
    #expect(text == "readable twelve bytes handledSource true")
  }

  @Test func itIsCalledAgainWhileSomethingIsLeft() {
    let text = onThread {
      let log = Log()
      let pipe = Pipe()
      let source = EventLoop.DescriptorSource(descriptor: pipe.readEnd) { _ in
        log.add(pipe.read(atMost: 2))
      }
      try? EventLoop.current.add(source, to: .default)
      pipe.write("aabbcc")
      for _ in 0..<4 { EventLoop.current.run(mode: .default, for: .zero) }
      source.invalidate()
      return log.text
    }
    #expect(text == "aa bb cc")
  }

  @Test func roomToWriteIsToldToWhoAsksForIt() {
    let text = onThread {
      let log = Log()
      let pipe = Pipe()
      let source = EventLoop.DescriptorSource(
        descriptor: pipe.writeEnd, events: .writable
      ) { events in
        log.add(events.contains(.writable) ? "writable" : "other")
      }
      try? EventLoop.current.add(source, to: .default)
      EventLoop.current.run(mode: .default, for: .seconds(10), returnAfterSource: true)
      source.invalidate()
      return log.text
    }
    #expect(text == "writable")
  }

  @Test func aHangUpIsToldOnceAfterTheLastByte() {
    let text = onThread {
      let log = Log()
      let pipe = Pipe()
      let source = EventLoop.DescriptorSource(descriptor: pipe.readEnd) { events in
        let bytes = pipe.read()
        log.add(events.contains(.hangUp) ? "hang-up(\(bytes))" : "readable(\(bytes))")
      }
      try? EventLoop.current.add(source, to: .default)
      pipe.write("last")
      pipe.closeWriteEnd()
      for _ in 0..<5 { EventLoop.current.run(mode: .default, for: .zero) }
      source.invalidate()
      return log.text
    }
    #expect(text == "hang-up(last) hang-up()")
  }

  @Test func theClosedHalfOfAConnectionIsToldToWhoAsksForIt() {
    let text = onThread {
      let log = Log()
      var ends: [Int32] = [0, 0]
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
      defer { for end in ends { close(end) } }
      let source = EventLoop.DescriptorSource(
        descriptor: ends[0], events: [.readable, .hangUp]
      ) { log.add("\($0 == [.readable, .hangUp])") }
      try? EventLoop.current.add(source, to: .default)
      shutdown(ends[1], Int32(SHUT_WR))
      EventLoop.current.run(mode: .default, for: .seconds(10), returnAfterSource: true)
      source.invalidate()
      return log.text
    }
    #expect(text == "true")
  }

  @Test func aFileIsAlwaysReadyAndOthersGetTheirTurns() {
    let result = onThread {
      let file = open(#filePath, O_RDONLY | O_CLOEXEC)
      defer { close(file) }
      let loop = EventLoop.current
      var reads = 0
      var ticks = 0
      let stopIfDone = { if reads >= 3 && ticks >= 3 { loop.stop() } }
      let source = EventLoop.DescriptorSource(descriptor: file) { _ in
        reads += 1
        stopIfDone()
      }
      let timer = EventLoop.Timer(every: .microseconds(1)) {
        ticks += 1
        stopIfDone()
      }
      try? loop.add(source, to: .default)
      try? loop.add(timer, to: .default)
      return loop.run(mode: .default, for: .seconds(10))
    }
    #expect(result == .stopped)
  }

  @Test func aClosedDescriptorIsRefused() {
    let (error, isThere) = onThread {
      // A number that no other test gets meanwhile.
      let closed = Int32.max
      let source = EventLoop.DescriptorSource(descriptor: closed) { _ in }
      let error = errorOf { () throws(GyreError) in
        try EventLoop.current.add(source, to: .default)
      }
      return (error, EventLoop.current.contains(source, in: .default))
    }
    #expect(error?.errno == EBADF)
    #expect(!isThere)
  }

  @Test func aNegativeDescriptorIsContentAndNeverReady() {
    let (result, count) = onThread {
      let log = Log()
      let source = EventLoop.DescriptorSource(descriptor: -1) { _ in log.add("called") }
      try? EventLoop.current.add(source, to: .default)
      return (EventLoop.current.run(mode: .default, for: .milliseconds(1)), log.count)
    }
    #expect(result == .timedOut)
    #expect(count == 0)
  }

  @Test func eventsCanBeChangedWhileAModeHoldsTheSource() {
    let text = onThread {
      let log = Log()
      let ends = makeSockets()
      defer { for end in ends { close(end) } }
      let source = EventLoop.DescriptorSource(descriptor: ends[0], events: []) { events in
        log.add(events == .writable ? "writable" : "\(events == [.readable, .writable])")
      }
      let pass = { _ = EventLoop.current.run(mode: .default, for: .zero) }
      try? EventLoop.current.add(source, to: .default)
      pass()
      source.events.insert(.writable)
      pass()
      _ = write(ends[1], "x", 1)
      source.events.insert(.readable)
      pass()
      let last = source.events == [.readable, .writable]
      source.events = []
      pass()
      source.invalidate()
      return "\(log.text) \(last)"
    }
    #expect(text == "writable true true")
  }

  @Test func aClosureMayChangeItsEvents() {
    let text = onThread {
      let log = Log()
      let ends = makeSockets()
      defer { for end in ends { close(end) } }
      var source: EventLoop.DescriptorSource?
      source = EventLoop.DescriptorSource(descriptor: ends[0], events: .writable) { _ in
        log.add("written")
        source?.events.remove(.writable)
      }
      defer { source?.invalidate() }
      if let source { try? EventLoop.current.add(source, to: .default) }
      for _ in 0..<3 { EventLoop.current.run(mode: .default, for: .zero) }
      return log.text
    }
    #expect(text == "written")
  }

  @Test func anotherThreadMayChangeEventsOfALoopThatSleeps() throws {
    let worker = LoopThread()
    defer { worker.end() }
    let pipe = Pipe()
    let isCalled = Event()
    let source = try worker.loop.performAndWait(in: .default) {
      let source = EventLoop.DescriptorSource(descriptor: pipe.readEnd, events: []) { _ in
        _ = pipe.read()
        isCalled.happen()
      }
      try? EventLoop.current.add(source, to: .default)
      return source
    }
    pipe.write("x")
    #expect(waitUntil { worker.loop.isWaiting })
    source.events = .readable
    #expect(isCalled.wait())
  }

  @Test func aHangUpIsToldAgainToWhoAsksAgain() {
    let text = onThread {
      let log = Log()
      let pipe = Pipe()
      let source = EventLoop.DescriptorSource(descriptor: pipe.readEnd) { events in
        log.add(events.contains(.hangUp) ? "end" : "other")
      }
      try? EventLoop.current.add(source, to: .default)
      pipe.closeWriteEnd()
      for _ in 0..<3 { EventLoop.current.run(mode: .default, for: .zero) }
      source.events = []
      source.events = .readable
      for _ in 0..<3 { EventLoop.current.run(mode: .default, for: .zero) }
      source.invalidate()
      return log.text
    }
    #expect(text == "end end")
  }

  @Test func eventsOfAClosedDescriptorAreRefusedAndTold() {
    let (error, events) = onThread {
      let ends = makeSockets()
      defer { close(ends[1]) }
      let source = EventLoop.DescriptorSource(descriptor: ends[0]) { _ in }
      try? EventLoop.current.add(source, to: .default)
      close(ends[0])
      let error = errorOf { () throws(GyreError) in try source.setEvents(.writable) }
      source.invalidate()
      return (error, source.events)
    }
    // Another test may have taken the number meanwhile: then it is another file's.
    #expect(error?.errno == EBADF || error?.errno == ENOENT)
    #expect(events == .writable)
  }

  @Test func anOwnedDescriptorIsClosedOnceTheSourceIsInvalid() {
    let text = onThread {
      let log = Log()
      let ends = makeSockets()
      defer { close(ends[1]) }
      var source: EventLoop.DescriptorSource?
      source = EventLoop.DescriptorSource(
        descriptor: ends[0], events: .writable, closesDescriptor: true
      ) { _ in
        source?.invalidate()
        log.add(hasEnded(ends[1]) ? "closed" : "open")
      }
      if let source { try? EventLoop.current.add(source, to: .default) }
      log.add(hasEnded(ends[1]) ? "closed" : "open")
      EventLoop.current.run(mode: .default, for: .zero)
      log.add(hasEnded(ends[1]) ? "closed" : "open")
      source = nil
      return log.text
    }
    #expect(text == "open open closed")
  }

  @Test func anOwnedDescriptorIsClosedWhenNobodyHoldsTheSource() {
    let isClosed = onThread {
      let ends = makeSockets()
      defer { close(ends[1]) }
      do {
        let source = EventLoop.DescriptorSource(
          descriptor: ends[0], closesDescriptor: true
        ) { _ in }
        try? EventLoop.current.add(source, to: .default)
        EventLoop.current.remove(source, from: .default)
      }
      return hasEnded(ends[1])
    }
    #expect(isClosed)
  }

  @Test func aBorrowedDescriptorStaysOpen() {
    let isClosed = onThread {
      let ends = makeSockets()
      defer { for end in ends { close(end) } }
      EventLoop.DescriptorSource(descriptor: ends[0]) { _ in }.invalidate()
      return hasEnded(ends[1])
    }
    #expect(!isClosed)
  }

  @Test func anotherThreadsBytesWakeTheLoop() {
    let worker = LoopThread()
    defer { worker.end() }
    let pipe = Pipe()
    let isRead = Event()
    try? worker.loop.perform(in: .default) {
      let source = EventLoop.DescriptorSource(descriptor: pipe.readEnd) { _ in
        if pipe.read() == "hello" { isRead.happen() }
      }
      try? EventLoop.current.add(source, to: .default)
    }
    #expect(waitUntil { worker.loop.isWaiting })
    pipe.write("hello")
    #expect(isRead.wait())
  }
}

private func makeSockets() -> [Int32] {
  var ends: [Int32] = [0, 0]
  let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
  socketpair(AF_UNIX, kind, 0, &ends)
  return ends
}

/// Whether the other end of a socket has been closed; its number may be another file's by now.
private func hasEnded(_ end: Int32) -> Bool {
  var byte: UInt8 = 0
  return recv(end, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
}
