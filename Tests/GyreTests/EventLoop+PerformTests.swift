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
    #expect(throws: GyreError.invalid) { try EventLoop.main.performAndWait(in: []) {} }
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

@Suite struct EventLoopPerformAndWaitTests {
  @Test func theCallerGetsWhatTheClosureReturns() throws {
    let worker = LoopThread()
    defer { worker.end() }
    let answer = try onThread {
      Result { try worker.loop.performAndWait(in: .default) { worker.loop.isCurrent ? 42 : 0 } }
    }.get()
    #expect(answer == 42)
    let other = try worker.loop.performAndWait(in: .common) { "common" }
    #expect(other == "common")
    let several = try worker.loop.performAndWait(in: ["unused", .default]) { "several" }
    #expect(several == "several")
  }

  @Test func onTheLoopsOwnThreadTheCallIsMadeAtOnce() {
    let answer = onThread { try? EventLoop.current.performAndWait(in: "never run") { 7 } }
    #expect(answer == 7)
  }

  @Test func anEndedLoopRefuses() {
    let loop = onThread { EventLoop.current }
    #expect(throws: GyreError.loopEnded) { try loop.performAndWait(in: .default) {} }
  }

  @Test func aCallerThatWaitsIsToldWhenTheThreadEnds() {
    let loop = Box<EventLoop?>(nil)
    let isKnown = Event()
    let isWaitedFor = Event()
    let thread = Thread {
      loop.value = .current
      isKnown.happen()
      _ = isWaitedFor.wait()
    }
    #expect(isKnown.wait())
    let error = Box<GyreError?>(nil)
    let waiter = Thread {
      error.value = errorOf { () throws(GyreError) in
        try loop.value?.performAndWait(in: .default) {}
      }
    }
    isWaitedFor.happen()
    thread.join()
    waiter.join()
    #expect(error.value == .loopEnded)
  }
}
