import Gyre
import Testing

@Suite struct EventLoopPerformTests {
  @Test func aClosureRunsOnTheLoopsThreadAndWakesIt() throws {
    let worker = LoopThread()
    defer { worker.end() }
    let hasRun = Event()
    #expect(waitUntil { worker.loop.isWaiting })
    try worker.loop.perform(in: .default) {
      if worker.loop.isCurrent { hasRun.happen() }
    }
    #expect(hasRun.wait())
  }

  @Test func closuresRunInTheOrderInWhichTheyWereHandedOver() {
    let text = onThread {
      let log = Log()
      for number in 1...5 {
        try? EventLoop.current.perform(in: .default) { log.add("\(number)") }
      }
      EventLoop.current.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "1 2 3 4 5")
  }

  @Test func aClosureRunsOnceInOneOfItsModes() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.perform(in: "other") { log.add("other") }
      try? loop.perform(in: ["one", "two"]) { log.add("several") }
      try? loop.perform(in: .common) { log.add("common") }
      for mode in ["two", .default, "one", .default, "other"] as [EventLoop.Mode] {
        loop.run(mode: mode, for: .zero)
        log.add("|")
      }
      return log.text
    }
    #expect(text == "several | common | | | other |")
  }

  @Test func aClosureThatWaitsKeepsItsModeFromBeingEmpty() {
    let results = onThread {
      let loop = EventLoop.current
      try? loop.perform(in: .default) {}
      return [
        loop.run(mode: .default, for: .zero), loop.run(mode: .default, for: .zero),
      ]
    }
    #expect(results == [.timedOut, .finished])
  }

  @Test func noModeAtAllIsRefused() {
    #expect(throws: GyreError.invalid) { try EventLoop.main.perform(in: []) {} }
    #expect(throws: GyreError.invalid) { try EventLoop.main.perform(in: [], after: .zero) {} }
  }

  @Test func aClosureIsLetGoRightAfterItsCall() {
    let text = onThread {
      let log = Log()
      do {
        let tracer = Tracer { log.add("let go") }
        try? EventLoop.current.perform(in: .default) {
          tracer.touch()
          log.add("called")
        }
      }
      try? EventLoop.current.perform(in: .default) { log.add("next") }
      EventLoop.current.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "called let go next")
  }

  @Test func anEndedLoopRefusesClosuresAndLetsThemGo() {
    let loop = onThread { EventLoop.current }
    let log = Log()
    #expect(throws: GyreError.loopEnded) {
      let tracer = Tracer { log.add("let go") }
      try loop.perform(in: .common) { tracer.touch() }
    }
    #expect(log.text == "let go")
  }

  @Test func closuresThatTheThreadsEndFindsWaitingAreLetGoUncalled() {
    let log = Log()
    onThread {
      let tracer = Tracer { log.add("let go") }
      try? EventLoop.current.perform(in: .default) {
        tracer.touch()
        log.add("called")
      }
    }
    #expect(log.text == "let go")
  }

  @Test func aPerformFromTheLoopsOwnCallbackRunsWithoutAnotherEvent() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      let observer = EventLoop.Observer(.beforeWaiting, repeats: false) { _ in
        try? loop.perform(in: .default) {
          log.add("performed")
          loop.stop()
        }
      }
      try? loop.add(observer, to: .default)
      log.add("\(loop.run(mode: .default, for: .seconds(10)))")
      return log.text
    }
    #expect(text == "performed stopped")
  }
}

@Suite struct EventLoopDelayedPerformTests {
  @Test func aClosureIsCalledAfterItsDelayAndNotEarly() {
    let (state, elapsed) = onThread {
      let loop = EventLoop.current
      let start = SuspendingClock.now
      let end = Box(start)
      let request = try? loop.perform(in: .default, after: .milliseconds(20)) { end.value = .now }
      loop.run()
      return (request?.state, end.value - start)
    }
    #expect(state == .ran)
    #expect(elapsed >= .milliseconds(20))
  }

  @Test func aDelayFromAnotherThreadIsSeenByASleepingLoop() throws {
    let worker = LoopThread()
    defer { worker.end() }
    let hasRun = Event()
    #expect(waitUntil { worker.loop.isWaiting })
    try worker.loop.perform(in: .common, after: .milliseconds(1)) {
      if worker.loop.isCurrent { hasRun.happen() }
    }
    #expect(hasRun.wait())
  }

  @Test func withoutADelayAClosureKeepsItsPlace() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.perform(in: .default) { log.add("1") }
      _ = try? loop.perform(in: .default, after: .zero) { log.add("2") }
      _ = try? loop.perform(in: .default, after: .seconds(-1)) { log.add("3") }
      try? loop.perform(in: .default) { log.add("4") }
      loop.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "1 2 3 4")
  }

  @Test func aDelayedClosureRunsOnceInOneOfItsModes() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.addCommonMode("common too")
      _ = try? loop.perform(in: "other", after: .nanoseconds(1)) { log.add("other") }
      _ = try? loop.perform(in: ["one", "two"], after: .nanoseconds(1)) { log.add("several") }
      _ = try? loop.perform(in: .common, after: .nanoseconds(1)) { log.add("common") }
      for mode in ["two", "common too", "one", .default, "other"] as [EventLoop.Mode] {
        log.add("\(loop.run(mode: mode)) |")
      }
      return log.text
    }
    #expect(
      text
        == "several finished | common finished | finished | finished | other finished |")
  }

  @Test func anEndedLoopRefusesDelayedClosuresAndLetsThemGo() {
    let loop = onThread { EventLoop.current }
    let log = Log()
    for delay in [Duration.zero, .seconds(1)] {
      #expect(throws: GyreError.loopEnded) {
        let tracer = Tracer { log.add("let go") }
        try loop.perform(in: .common, after: delay) { tracer.touch() }
      }
    }
    #expect(log.text == "let go let go")
  }
}
