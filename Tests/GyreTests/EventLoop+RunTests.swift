import CGyre
import Glibc
import Gyre
import Synchronization
import Testing

@Suite struct EventLoopRunTests {
  @Test func anEmptyModeIsFinishedAtOnce() {
    let results = onThread {
      let loop = EventLoop.current
      return [
        loop.run(), loop.run(mode: .default), loop.run(mode: "unknown", for: .seconds(1000)),
        loop.run(mode: .default, until: .now + .seconds(1000)),
      ]
    }
    #expect(results == [.finished, .finished, .finished, .finished])
  }

  @Test func aRunEndsWhenItsLastItemGoes() {
    let result = onThread {
      try? EventLoop.current.add(EventLoop.Timer(after: .milliseconds(1)) {}, to: .default)
      return EventLoop.current.run()
    }
    #expect(result == .finished)
  }

  @Test func aRunTimesOutAndNotEarly() {
    let (results, elapsed) = onThread {
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      let start = SuspendingClock.now
      let first = loop.run(mode: .default, for: .milliseconds(20))
      let second = loop.run(mode: .default, until: start + .milliseconds(50))
      return ([first, second], SuspendingClock.now - start)
    }
    #expect(results == [.timedOut, .timedOut])
    #expect(elapsed >= .milliseconds(50))
  }

  @Test func aRunWithoutTimeMakesOnePassThatDoesNotWait() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      try? loop.add(EventLoop.Observer(.all) { log.add("\($0.rawValue)") }, to: .default)
      let results = [
        loop.run(mode: .default, for: .zero),
        loop.run(mode: .default, until: .now - .seconds(1)),
      ]
      return "\(results == [.timedOut, .timedOut]) \(log.text)"
    }
    #expect(text == "true 1 2 4 128 1 2 4 128")
  }

  @Test func aRunReturnsAfterASourceWhereThatIsAskedFor() {
    let results = onThread {
      let loop = EventLoop.current
      let source = EventLoop.Source {}
      try? loop.add(source, to: .default)
      source.signal()
      let handled = loop.run(mode: .default, for: .seconds(1000), returnAfterSource: true)
      source.signal()
      return [handled, loop.run(mode: .default, for: .zero, returnAfterSource: false)]
    }
    #expect(results == [.handledSource, .timedOut])
  }

  @Test func aRunServesItsModeAlone() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Timer(after: .zero) { log.add("default") }, to: .default)
      try? loop.add(EventLoop.Timer(after: .zero) { log.add("tracking") }, to: .tracking)
      loop.run(mode: .tracking)
      loop.run(mode: .default)
      return log.text
    }
    #expect(text == "tracking default")
  }

  @Test func anotherThreadCannotRunALoop() {
    let worker = LoopThread()
    defer { worker.end() }
    let results = onThread {
      [worker.loop.run(), worker.loop.run(mode: .default, for: .seconds(1000))]
    }
    #expect(results == [.finished, .finished])
  }

  /// F91.
  @Test func aNestedRunHasToNameItsMode() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let outer = EventLoop.Timer(after: .zero) {
        try? loop.add(EventLoop.Timer(after: .zero) { log.add("inner") }, to: "inner")
        try? loop.add(EventLoop.Timer(after: .zero) { log.add("late") }, to: .default)
        log.add("\(loop.run())")
        log.add("\(loop.run())")
        log.add("\(loop.run(mode: "inner"))")
      }
      try? loop.add(outer, to: .default)
      log.add("\(loop.run())")
      return log.text
    }
    #expect(text == "finished finished inner finished late finished")
  }

  @Test func theCurrentModeIsThatOfTheInnermostRun() {
    let names = onThread {
      let log = Log()
      let loop = EventLoop.current
      let tell: @Sendable () -> Void = { log.add(loop.currentMode?.name ?? "none") }
      let outer = EventLoop.Timer(after: .zero) {
        tell()
        loop.run(mode: "inner")
        tell()
      }
      try? loop.add(EventLoop.Timer(after: .zero, tell), to: "inner")
      try? loop.add(outer, to: "outer")
      tell()
      loop.run(mode: "outer")
      tell()
      return log.text
    }
    #expect(names == "none outer inner outer none")
  }

  @Test func aLoopIsWaitingWhileItSleepsAndWakesUpWhenItIsTold() {
    let worker = LoopThread()
    defer { worker.end() }
    let isAwake = Event()
    try? worker.loop.performAndWait(in: .default) {
      let observer = EventLoop.Observer(.afterWaiting) { _ in isAwake.happen() }
      try? EventLoop.current.add(observer, to: .default)
    }
    #expect(waitUntil { worker.loop.isWaiting })
    worker.loop.wakeUp()
    #expect(isAwake.wait())
    #expect(onThread { EventLoop.current.isWaiting == false })
  }
}

@Suite struct EventLoopStopTests {
  @Test func aStopEndsASleepingRunFromAnotherThread() {
    let result = Box<EventLoop.RunResult?>(nil)
    let loop = Box<EventLoop?>(nil)
    let thread = Thread {
      try? EventLoop.current.add(EventLoop.Source {}, to: .default)
      loop.value = .current
      result.value = EventLoop.current.run()
    }
    #expect(waitUntil { loop.value?.isWaiting == true })
    loop.value?.stop()
    thread.join()
    #expect(result.value == .stopped)
  }

  @Test func aStopWaitsForTheNextRunAndEndsThatOneOnly() {
    let (results, text) = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      try? loop.add(EventLoop.Observer(.all) { log.add("\($0.rawValue)") }, to: .default)
      loop.stop()
      loop.stop()
      let results = [loop.run(), loop.run(mode: .default, for: .zero)]
      return (results, log.text)
    }
    #expect(results == [.stopped, .timedOut])
    #expect(text == "1 128 1 2 4 128")
  }

  @Test func aStopThatWaitsIsUsedUpByARunInAnEmptyMode() {
    let results = onThread {
      let loop = EventLoop.current
      loop.stop()
      return [loop.run(), loop.run(), loop.run(mode: "unknown")]
    }
    #expect(results == [.stopped, .finished, .finished])
  }

  @Test func aStopThatWaitsIsForAnyMode() {
    let results = onThread {
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: "some mode")
      loop.stop()
      return [loop.run(mode: "some mode"), loop.run(mode: "some mode", for: .zero)]
    }
    #expect(results == [.stopped, .timedOut])
  }

  @Test func aStopEndsTheInnermostRun() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: "inner")
      try? loop.add(EventLoop.Timer(after: .zero) { loop.stop() }, to: "inner")
      let outer = EventLoop.Timer(after: .zero) { log.add("\(loop.run(mode: "inner"))") }
      try? loop.add(outer, to: .default)
      log.add("\(loop.run())")
      return log.text
    }
    #expect(text == "stopped finished")
  }

  @Test func aStopOfTheOuterRunDoesNotEndANestedOneThatBeginsLater() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      try? loop.add(EventLoop.Source {}, to: "inner")
      let outer = EventLoop.Timer(after: .zero) {
        loop.stop()
        log.add("\(loop.run(mode: "inner", for: .milliseconds(1)))")
      }
      try? loop.add(outer, to: .default)
      log.add("\(loop.run())")
      return log.text
    }
    #expect(text == "timedOut stopped")
  }

  @Test func aStopFromAnObserverOfTheExitIsUsedUpByTheRun() {
    let results = onThread {
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      let observer = EventLoop.Observer(.exit, repeats: false, order: .max) { _ in loop.stop() }
      try? loop.add(observer, to: .default)
      return [
        loop.run(mode: .default, for: .zero), loop.run(mode: .default, for: .zero),
      ]
    }
    #expect(results == [.timedOut, .timedOut])
  }

  @Test func aStopEndsARunThatCBegan() {
    let results = onThread {
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      try? loop.add(EventLoop.Source {}, to: "of C")
      let stop = { loop.stop() }
      try? loop.add(EventLoop.Timer(after: .zero, stop), to: .default)
      GYRunLoopRun()
      // The stop was for that run and for no later one.
      return [loop.run(mode: .default, for: .zero)]
    }
    #expect(results == [.timedOut])
  }

  @Test func aStopEndsARunThatCBeganInAModeOfItsOwn() {
    let result = onThread {
      let mode = GYRunLoopModeNamed("of C")
      defer { GYRelease(mode.map { UnsafeRawPointer($0) }) }
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: "of C")
      try? loop.add(EventLoop.Timer(after: .zero) { loop.stop() }, to: "of C")
      return Int(GYRunLoopRunInMode(mode, 1000, 0))
    }
    #expect(result == Int(kGYRunLoopRunStopped))
  }

  @Test func theStopOfCIsDroppedWhileNothingRuns() {
    let result = onThread {
      try? EventLoop.current.add(EventLoop.Source {}, to: .default)
      GYRunLoopStop(GYRunLoopGetCurrent())
      return EventLoop.current.run(mode: .default, for: .zero)
    }
    #expect(result == .timedOut)
  }

  @Test func aSignalHandlerMayStopALoop() {
    let result = onThread {
      handlersLoop.store(.passRetained(EventLoop.current), ordering: .releasing)
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { _ in
        handlersLoop.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { $0.stop() }
      }
      sigaction(SIGUSR1, &action, nil)
      // The threads of a test block signals, and this one was made by such a thread.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGUSR1)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      try? EventLoop.current.add(EventLoop.Source {}, to: .default)
      let timer = EventLoop.Timer(after: .zero) { pthread_kill(pthread_self(), SIGUSR1) }
      try? EventLoop.current.add(timer, to: .default)
      return EventLoop.current.run()
    }
    #expect(result == .stopped)
  }

  /// One stop for each run, at whatever moment of it: before its call, while it begins, in its
  /// sleep.
  @Test func everyStopEndsOneRun() {
    let rounds = 3000
    let loop = Box<EventLoop?>(nil)
    let isKnown = Event()
    let hasRun = Event()
    let others = Box(0)
    let thread = Thread {
      try? EventLoop.current.add(EventLoop.Source {}, to: .default)
      loop.value = .current
      isKnown.happen()
      for _ in 0..<rounds {
        let result = EventLoop.current.run(mode: .default, for: .seconds(10))
        if result != .stopped { others.value += 1 }
        hasRun.happen()
      }
    }
    #expect(isKnown.wait())
    for round in 0..<rounds {
      loop.value?.stop()
      guard hasRun.wait() else {
        Issue.record("round \(round): the stop was lost")
        break
      }
    }
    thread.join()
    #expect(others.value == 0)
  }

  /// A mode may come into being at any moment of the call that runs it.
  @Test func aStopFindsARunInAModeThatIsNew() {
    let rounds = 1000
    let loop = Box<EventLoop?>(nil)
    let isAboutToRun = Event()
    let hasRun = Event()
    let thread = Thread {
      loop.value = .current
      for round in 0..<rounds {
        isAboutToRun.happen()
        EventLoop.current.run(mode: EventLoop.Mode("new \(round)"))
        hasRun.happen()
      }
    }
    for round in 0..<rounds {
      guard isAboutToRun.wait(), let loop = loop.value else { break }
      let mode = EventLoop.Mode("new \(round)")
      for _ in 0..<(round % 50 * 20) { _ = loop.isWaiting }
      _ = try? loop.perform(in: mode, after: .seconds(1000)) {}
      loop.stop()
      guard hasRun.wait() else {
        Issue.record("round \(round): the stop was lost")
        loop.windDown()
        break
      }
    }
    thread.join()
  }
}

@Suite struct EventLoopWindDownTests {
  @Test func itEndsTheRunInProgressAndAllThatAreCalledLater() {
    let results = Box<[EventLoop.RunResult]>([])
    let loop = Box<EventLoop?>(nil)
    let thread = Thread {
      try? EventLoop.current.add(EventLoop.Source {}, to: .default)
      loop.value = .current
      for _ in 0..<2 {
        let result = EventLoop.current.run()
        results.change { $0.append(result) }
      }
    }
    #expect(waitUntil { loop.value?.isWaiting == true })
    #expect(loop.value?.isWindingDown == false)
    loop.value?.windDown()
    thread.join()
    #expect(results.value == [.stopped, .stopped])
    #expect(loop.value?.isWindingDown == true)
  }

  @Test func itEndsTheRunsAroundTheInnermostToo() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      try? loop.add(EventLoop.Source {}, to: "inner")
      let nested = { log.add("\(loop.run(mode: "inner"))") }
      try? loop.add(EventLoop.Timer(after: .zero) { loop.windDown() }, to: "inner")
      try? loop.add(EventLoop.Timer(after: .zero, nested), to: .default)
      log.add("\(loop.run())")
      return log.text
    }
    #expect(text == "stopped stopped")
  }

  @Test func aRunThatIsCalledLaterCallsNothing() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Observer(.all) { log.add("\($0.rawValue)") }, to: .default)
      try? loop.add(EventLoop.Timer(after: .zero) { log.add("timer") }, to: .default)
      loop.windDown()
      loop.windDown()
      let results = [
        loop.run(), loop.run(mode: .default, for: .zero), loop.run(mode: "unknown"),
        loop.run(mode: .default, until: .now + .seconds(1000), returnAfterSource: true),
      ]
      return "\(results == Array(repeating: .stopped, count: 4)) \(log.text)"
    }
    #expect(text == "true ")
  }

  /// A stop that waits beside it changes nothing.
  @Test func aStopThatWaitsIsNoHindrance() {
    let results = onThread {
      let loop = EventLoop.current
      loop.stop()
      loop.windDown()
      return [loop.run(), loop.run()]
    }
    #expect(results == [.stopped, .stopped])
  }

  @Test func anEndedLoopIsLeftAsItIs() {
    let loop = onThread { EventLoop.current }
    loop.windDown()
    #expect(!loop.isAlive)
  }
}

private let handlersLoop = Atomic<Unmanaged<EventLoop>?>(nil)
