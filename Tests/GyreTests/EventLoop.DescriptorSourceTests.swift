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
