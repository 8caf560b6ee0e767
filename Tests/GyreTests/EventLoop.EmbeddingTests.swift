import Glibc
import Gyre
import Testing

/// What a host around poll(2) does.
private func isReadable(_ embedding: EventLoop.Embedding, within milliseconds: Int32 = 0) -> Bool {
  var watched = pollfd(fd: embedding.descriptor, events: Int16(POLLIN), revents: 0)
  return poll(&watched, 1, milliseconds) == 1
}

private func turn(_ embedding: EventLoop.Embedding) -> EventLoop.RunResult? {
  if let result = embedding.prepare() { return result }
  guard isReadable(embedding, within: 10_000) else { return .timedOut }
  return embedding.dispatch()
}

/// Iterations until the run has ended.
private func host(_ embedding: EventLoop.Embedding) -> EventLoop.RunResult {
  while true {
    if let result = turn(embedding) { return result }
  }
}

private func word(_ activity: EventLoop.Activity) -> String {
  switch activity {
  case .entry: "entry"
  case .beforeTimers: "timers"
  case .beforeSources: "sources"
  case .beforeWaiting: "wait"
  case .afterWaiting: "wake"
  case .exit: "exit"
  default: "?"
  }
}

@Suite struct EventLoopEmbeddingTests {
  @Test func theTwoHalvesAreAnIteration() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let observer = EventLoop.Observer(.all) { log.add(word($0)) }
      let timer = EventLoop.Timer(after: .milliseconds(1)) { log.add("timer") }
      try? loop.add(observer, to: "embedded")
      try? loop.add(timer, to: "embedded")
      guard let embedding = try? EventLoop.Embedding(of: loop, mode: "embedded") else { return "" }
      log.add("\(embedding.prepare() == nil)")
      log.add("\(loop.isWaiting)")
      log.add("\(isReadable(embedding, within: 10_000))")
      log.add("\(embedding.dispatch() == .finished)")
      log.add("\(isReadable(embedding))")
      observer.invalidate()
      return log.text
    }
    #expect(text == "entry timers sources wait true true true wake timer exit true false")
  }

  @Test func descriptorsTimersAndOtherThreadsAreServed() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let pipe = Pipe()
      let source = EventLoop.DescriptorSource(descriptor: pipe.readEnd) { _ in
        log.add(pipe.read())
        loop.stop()
      }
      let timer = EventLoop.Timer(after: .milliseconds(1)) {
        log.add("timer")
        onThread {
          try? loop.perform(in: .default) {
            log.add("closure")
            pipe.write("bytes")
          }
        }
      }
      try? loop.add(source, to: .default)
      try? loop.add(timer, to: .default)
      guard let embedding = try? EventLoop.Embedding(of: loop, mode: .default) else { return "" }
      log.add("\(host(embedding))")
      embedding.invalidate()
      source.invalidate()
      return log.text
    }
    #expect(text == "timer closure bytes stopped")
  }

  /// F86.
  @Test func aTimerThatAnotherThreadMovesIsTold() {
    let text = onThread {
      let log = Log()
      let timer = EventLoop.Timer(after: .seconds(1000)) { log.add("timer") }
      try? EventLoop.current.add(timer, to: .default)
      guard let embedding = try? EventLoop.Embedding(of: .current, mode: .default) else {
        return ""
      }
      log.add("\(embedding.prepare() == nil && !isReadable(embedding))")
      log.add("\(embedding.nextDeadline == timer.nextFire)")
      onThread { timer.reschedule(after: .milliseconds(1)) }
      log.add("\(host(embedding))")
      log.add("\(embedding.nextDeadline == nil)")
      return log.text
    }
    #expect(text == "true true timer finished true")
  }

  /// R183: in Swift a stop waits for the run that it is meant for.
  @Test func aStopBeforeTheRunIsKeptForIt() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let keepAlive = EventLoop.Source {}
      try? loop.add(keepAlive, to: "embedded")
      guard let embedding = try? EventLoop.Embedding(of: loop, mode: "embedded") else { return "" }
      loop.stop()
      log.add("\(embedding.dispatch() == .stopped)")
      log.add("\(embedding.prepare() == nil && !isReadable(embedding))")
      onThread { loop.stop() }
      log.add("\(isReadable(embedding, within: 10_000))")
      log.add("\(embedding.dispatch() == .stopped)")
      log.add("\(embedding.prepare() == nil && !isReadable(embedding))")
      keepAlive.invalidate()
      return log.text
    }
    #expect(text == "true true true true true")
  }

  @Test func aRunNestedInTheWaitMakesItReadable() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let keepAlive = EventLoop.Source {}
      try? loop.add(keepAlive, to: "embedded")
      try? loop.add(EventLoop.Timer(after: .zero) { log.add("nested") }, to: .default)
      guard let embedding = try? EventLoop.Embedding(of: loop, mode: "embedded") else { return "" }
      log.add("\(embedding.prepare() == nil)")
      loop.run(mode: .default, for: .seconds(10))
      log.add("\(isReadable(embedding)) \(loop.currentMode == "embedded")")
      log.add("\(embedding.dispatch() == nil)")
      embedding.invalidate()
      log.add("\(loop.currentMode == nil)")
      keepAlive.invalidate()
      return log.text
    }
    #expect(text == "true nested true true true true")
  }

  @Test func whatIsInvalidIsStoppedAndHasNoDescriptor() {
    let text = onThread {
      guard let embedding = try? EventLoop.Embedding(of: .current, mode: "embedded") else {
        return ""
      }
      let descriptor = embedding.descriptor
      let wasValid = embedding.isValid && fcntl(descriptor, F_GETFD) >= 0
      embedding.invalidate()
      let isOver = !embedding.isValid && fcntl(descriptor, F_GETFD) < 0
      return
        "\(wasValid) \(isOver) \(embedding.descriptor) \(String(describing: embedding.prepare()))"
    }
    #expect(text == "true true -1 Optional(Gyre.EventLoop.RunResult.stopped)")
  }

  @Test func whatIsLetGoOnItsThreadClosesItsDescriptor() {
    let text = onThread {
      var descriptor: Int32 = -1
      let loop = EventLoop.current
      let keepAlive = EventLoop.Source {}
      try? loop.add(keepAlive, to: .default)
      do {
        guard let embedding = try? EventLoop.Embedding(of: loop, mode: .default) else { return "" }
        descriptor = embedding.descriptor
        _ = embedding.prepare()
      }
      keepAlive.invalidate()
      return "\(fcntl(descriptor, F_GETFD) < 0) \(loop.currentMode == nil)"
    }
    #expect(text == "true true")
  }
}
