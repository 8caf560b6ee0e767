import Gyre

extension Scene {
  static let keepingAlive = Scene(title: "What keeps a worker's loop running, and what ends it") {
    runWithNothing()
    try runWithASource()
    try runUntilAMoment()
    try runOnce()
    try endAWorker()
  }

  private static func runWithNothing() {
    let request = Box<EventLoop.Request?>(nil)
    let worker = SystemThread {
      let loop = EventLoop.current
      print("with nothing to wait for: \(loop.run())")
      request.value = try? loop.perform(in: .default, after: .zero) { print("never called") }
      print("what is handed over after that: \(words(for: request.value))")
    }
    worker.join()
    print("when the thread has ended: \(words(for: request.value))")
  }

  @MainActor
  private static func runWithASource() throws {
    let seen = Box<EventLoop?>(nil)
    let worker = SystemThread {
      let loop = EventLoop.current
      let idle = EventLoop.Source {}
      try? loop.add(idle, to: .default)
      seen.value = loop
      EventLoop.main.wakeUp()
      print("with a source: \(loop.run())")
      idle.invalidate()
    }
    EventLoop.main.run(mode: .default) { seen.value != nil }
    for number in 1...2 {
      try seen.value?.performAndWait(in: .default) { print("work \(number)") }
    }
    seen.value?.stop()
    worker.join()
  }

  @MainActor
  private static func runUntilAMoment() throws {
    let loop = EventLoop.current
    for number in 1...3 {
      try loop.perform(in: .default, after: .milliseconds(5 * number)) { print("call \(number)") }
    }
    let deadline = SuspendingClock.now + .milliseconds(300)
    let result = loop.run(until: deadline)
    print("until a moment: \(result), \(SuspendingClock.now < deadline ? "early" : "not early")")
  }

  @MainActor
  private static func runOnce() throws {
    let loop = EventLoop.current
    let sources = ["a", "b"].map { name in EventLoop.Source { print("source \(name)") } }
    for source in sources {
      try loop.add(source, to: "once")
      source.signal()
    }
    for _ in sources { print("once: \(loop.runOnce(mode: "once"))") }
    for source in sources { source.invalidate() }
  }

  private static func endAWorker() throws {
    let worker = try EventLoopThread(name: "worker")
    worker.loop.stop()
    try worker.loop.performAndWait(in: .default) { print("after a stop of its run: still there") }
    worker.stop()
    try worker.join()
    print("after a stop of the thread: \(worker.loop.isAlive ? "still there" : "ended")")
  }

  private static func words(for request: EventLoop.Request?) -> String {
    switch request?.state {
    case .pending: "waits"
    case .loopEnded: "the loop has ended"
    case let state: "\(String(describing: state))"
    }
  }
}
