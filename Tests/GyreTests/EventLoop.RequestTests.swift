import Gyre
import Testing

@Suite struct EventLoopRequestTests {
  @Test(arguments: [Duration.zero, .milliseconds(1)])
  func itTellsWhatHasBecomeOfAClosure(delay: Duration) {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let made = Box<EventLoop.Request?>(nil)
      made.value = try? loop.perform(in: .default, after: delay) {
        log.add(name(made.value?.state))
      }
      log.add(name(made.value?.state))
      loop.run(mode: .default, for: delay + .milliseconds(1))
      log.add(name(made.value?.state))
      return log.text
    }
    #expect(text == "pending running ran")
  }

  @Test(arguments: [Duration.zero, .seconds(1000)])
  func aClosureThatIsTakenBackIsLetGoAndNotCalled(delay: Duration) {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let request = makeRequest(loop, log, after: delay)
      log.add(name(request?.cancel()))
      log.add(name(request?.state))
      log.add(name(request?.cancel()))
      log.add("\(loop.run(mode: .default, for: .zero))")
      return log.text
    }
    #expect(text == "let go cancelled cancelled cancelled finished")
  }

  @Test func aClosureThatHasRunIsNotTakenBack() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let request = makeRequest(loop, log, after: .zero)
      loop.run(mode: .default, for: .zero)
      log.add(name(request?.cancel()))
      log.add(name(request?.cancelAndWait()))
      return log.text
    }
    #expect(text == "called let go ran ran")
  }

  @Test func aClosureThatTakesItselfBackIsTold() {
    let text = onThread {
      let log = Log()
      let made = Box<EventLoop.Request?>(nil)
      made.value = try? EventLoop.current.perform(in: .default, after: .zero) {
        log.add(name(made.value?.cancel()))
        log.add(name(made.value?.cancelAndWait()))
      }
      EventLoop.current.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "running running")
  }

  @Test func theEndOfTheThreadIsTold() {
    let log = Log()
    let states = onThread {
      [Duration.zero, .seconds(1000)].map { makeRequest(EventLoop.current, log, after: $0) }
    }.map { [$0?.state, $0?.cancel(), $0?.cancelAndWait()] }
    #expect(
      states == [[.loopEnded, .loopEnded, .loopEnded], [.loopEnded, .loopEnded, .loopEnded]])
    #expect(log.text == "let go let go")
  }

  @Test func droppingItChangesNothing() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      _ = makeRequest(loop, log, after: .milliseconds(1))
      _ = makeRequest(loop, log, after: .zero)
      loop.run()
      return log.text
    }
    #expect(text == "called let go called let go")
  }

  @Test(arguments: [Duration.zero, .nanoseconds(1)])
  func waitingForACallInProgressEndsAfterIt(delay: Duration) throws {
    let worker = LoopThread()
    defer { worker.end() }
    let log = Log()
    let hasBegun = Event()
    let mayEnd = Event()
    let request = try worker.loop.perform(in: .default, after: delay) {
      hasBegun.happen()
      _ = mayEnd.wait()
      log.add("ends")
    }
    #expect(hasBegun.wait())
    log.add(name(request.cancel()))
    let canceller = Thread { log.add(name(request.cancelAndWait())) }
    mayEnd.happen()
    canceller.join()
    #expect(log.text == "running ends ran")
  }

  /// F53: what was taken back is not called, at whatever moment that was.
  @Test func afterACancellationTheCallDoesNotBegin() {
    let worker = LoopThread()
    defer { worker.end() }
    for round in 0..<2000 {
      let isTakenBack = Box(false)
      let isCalledLate = Box(false)
      let delay = Duration.microseconds(round % 50)
      let request = try? worker.loop.perform(in: .default, after: delay) {
        if isTakenBack.value { isCalledLate.value = true }
      }
      let state = request?.cancelAndWait()
      isTakenBack.value = true
      #expect(state == .cancelled || state == .ran)
      #expect(!isCalledLate.value)
    }
  }

  private func makeRequest(
    _ loop: EventLoop, _ log: Log, after delay: Duration
  ) -> EventLoop.Request? {
    let tracer = Tracer { log.add("let go") }
    return try? loop.perform(in: .default, after: delay) {
      tracer.touch()
      log.add("called")
    }
  }
}

private func name(_ state: EventLoop.Request.State?) -> String {
  state.map { "\($0)" } ?? "none"
}
