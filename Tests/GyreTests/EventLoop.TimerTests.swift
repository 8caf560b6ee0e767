import Gyre
import Testing

@Suite struct EventLoopTimerTests {
  @Test func aTimerFiresOnceAndIsInvalidThen() {
    let (text, isValid) = onThread {
      let log = Log()
      let timer = EventLoop.Timer(after: .milliseconds(1)) { log.add("fired") }
      try? EventLoop.current.add(timer, to: .default)
      log.add("\(EventLoop.current.run())")
      return (log.text, timer.isValid)
    }
    #expect(text == "fired finished")
    #expect(!isValid)
  }

  @Test(arguments: [Duration.zero, .milliseconds(3), .microseconds(1500), .nanoseconds(1)])
  func aTimerIsNeverEarly(delay: Duration) {
    let elapsed = onThread {
      let end = Box(SuspendingClock.now)
      let start = SuspendingClock.now
      let timer = EventLoop.Timer(after: delay) { end.value = .now }
      try? EventLoop.current.add(timer, to: .default)
      EventLoop.current.run()
      return end.value - start
    }
    #expect(elapsed >= delay)
  }

  @Test func aRepeatingTimerFirstFiresAfterOneInterval() {
    let (next, start) = onThread {
      let start = SuspendingClock.now
      return (EventLoop.Timer(every: .seconds(1000)) {}.nextFire, start)
    }
    #expect(next.map { $0 - start >= .seconds(1000) } == true)
    #expect(next.map { $0 - start < .seconds(2000) } == true)
  }

  @Test func aRepeatingTimerMayFirstFireAtOnce() {
    let text = onThread {
      let log = Log()
      let timer = EventLoop.Timer(every: .seconds(1000), after: .zero) { log.add("fired") }
      try? EventLoop.current.add(timer, to: .default)
      EventLoop.current.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "fired")
  }

  @Test func aRepeatingTimerKeepsItsGrid() {
    let distances = onThread {
      let loop = EventLoop.current
      let served = Box<[SuspendingClock.Instant?]>([])
      let own = Box<EventLoop.Timer?>(nil)
      let timer = EventLoop.Timer(every: .milliseconds(2)) {
        // Inside the closure it is still the moment that is being served.
        served.change { $0.append(own.value?.nextFire) }
        if served.value.count == 4 { loop.stop() }
      }
      own.value = timer
      try? loop.add(timer, to: .default)
      loop.run(mode: .default, for: .seconds(10))
      timer.invalidate()
      let moments = served.value.compactMap(\.self)
      return zip(moments, moments.dropFirst()).map { $1 - $0 }
    }
    #expect(distances.count == 3)
    for distance in distances {
      #expect(distance >= .milliseconds(2))
      #expect(distance.attoseconds.remainder(of: Duration.milliseconds(2)) == 0)
    }
  }

  @Test func anIntervalOfZeroStandsFor100Microseconds() {
    let interval = onThread { EventLoop.Timer(every: .zero) {}.interval }
    #expect(interval == .microseconds(100))
    #expect(onThread { EventLoop.Timer(every: .seconds(-1)) {}.interval } == .microseconds(100))
    #expect(onThread { EventLoop.Timer(after: .seconds(1)) {}.interval } == nil)
    #expect(onThread { EventLoop.Timer(every: .seconds(3)) {}.interval } == .seconds(3))
  }

  @Test func theNextFiringCanBeMoved() {
    let (text, wasAt) = onThread {
      let log = Log()
      let timer = EventLoop.Timer(every: .seconds(1000)) { log.add("fired") }
      try? EventLoop.current.add(timer, to: .default)
      let moment = SuspendingClock.now + .seconds(500)
      timer.reschedule(at: moment)
      let wasAt = timer.nextFire.map { $0 - moment }
      timer.reschedule(after: .zero)
      EventLoop.current.run(mode: .default, for: .zero)
      timer.reschedule(at: .now - .seconds(5))
      EventLoop.current.run(mode: .default, for: .zero)
      return (log.text, wasAt)
    }
    #expect(text == "fired fired")
    #expect(wasAt == .zero)
  }

  @Test func aTimerMovedFromAnotherThreadWakesItsLoop() {
    let worker = LoopThread()
    defer { worker.end() }
    let timer = Box<EventLoop.Timer?>(nil)
    let hasFired = Event()
    try? worker.loop.perform(in: .default) {
      timer.value = EventLoop.Timer(after: .seconds(1000)) { hasFired.happen() }
      if let made = timer.value { try? EventLoop.current.add(made, to: .default) }
    }
    #expect(waitUntil { timer.value != nil && worker.loop.isWaiting })
    timer.value?.reschedule(after: .zero)
    #expect(hasFired.wait())
  }

  @Test func aTimerMovedInItsOwnClosureFollowsThatMove() {
    let text = onThread {
      let log = Log()
      let own = Box<EventLoop.Timer?>(nil)
      let timer = EventLoop.Timer(every: .seconds(1000), after: .zero) {
        log.add("fired")
        if log.count < 3 { own.value?.reschedule(after: .zero) } else { EventLoop.current.stop() }
      }
      own.value = timer
      try? EventLoop.current.add(timer, to: .default)
      log.add("\(EventLoop.current.run(mode: .default, for: .seconds(10)))")
      timer.invalidate()
      return log.text
    }
    #expect(text == "fired fired fired stopped")
  }

  @Test func anInvalidTimerHasNoNextFiring() {
    let (next, isValid) = onThread {
      let timer = EventLoop.Timer(after: .zero) {}
      timer.invalidate()
      timer.reschedule(after: .zero)
      return (timer.nextFire, timer.isValid)
    }
    #expect(next == nil)
    #expect(!isValid)
  }

  @Test func toleranceIsLimitedToHalfTheInterval() {
    let tolerances = onThread {
      let once = EventLoop.Timer(after: .seconds(1), tolerance: .seconds(30)) {}
      let repeating = EventLoop.Timer(every: .seconds(10), tolerance: .seconds(30)) {}
      let none = EventLoop.Timer(after: .seconds(1)) {}
      var all = [once.tolerance, repeating.tolerance, none.tolerance]
      none.tolerance = .milliseconds(5)
      all.append(none.tolerance)
      none.tolerance = .seconds(-1)
      return all + [none.tolerance]
    }
    #expect(tolerances == [.seconds(30), .seconds(5), .zero, .milliseconds(5), .zero])
  }

  @Test func timesWithoutEndAreFar() {
    // A duration may be longer than a number of seconds.
    let longest = Duration.seconds(Int64.max) * 10
    let (results, wereValid) = onThread {
      let loop = EventLoop.current
      let timers = [
        EventLoop.Timer(after: longest) {}, EventLoop.Timer(every: longest) {},
        EventLoop.Timer(every: .seconds(1), after: longest, tolerance: longest) {},
      ]
      for timer in timers { try? loop.add(timer, to: .default) }
      timers[0].reschedule(at: .now + longest)
      timers[1].reschedule(after: longest)
      timers[2].tolerance = longest
      var results = [
        loop.run(mode: .default, for: .zero - longest),
        loop.run(mode: .default, until: .now - longest),
        loop.run(mode: .default, for: .milliseconds(1)),
      ]
      loop.stop()
      results += [loop.run(mode: .default, for: longest)]
      loop.stop()
      results += [loop.run(mode: .default, until: .now + longest)]
      return (results, timers.allSatisfy(\.isValid))
    }
    #expect(results == [.timedOut, .timedOut, .timedOut, .stopped, .stopped])
    #expect(wereValid)
  }

  @Test func aTimerMayBeMadeForAMoment() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let start = SuspendingClock.now
      let sooner = EventLoop.Timer(at: start + .milliseconds(2)) {
        log.add(SuspendingClock.now >= start + .milliseconds(2) ? "due" : "early")
      }
      let moment = ContinuousClock.now + .milliseconds(4)
      let later = EventLoop.Timer(at: moment) {
        log.add(ContinuousClock.now >= moment ? "due" : "early")
      }
      let past = EventLoop.Timer(at: .now - .seconds(5)) { log.add("past") }
      for timer in [sooner, later, past] { try? loop.add(timer, to: .default) }
      loop.run()
      return log.text
    }
    #expect(text == "past due due")
  }

  @Test func aTimerCanBeMovedByTheContinuousClock() {
    let isThen = onThread {
      let timer = EventLoop.Timer(after: .seconds(1)) {}
      let before = SuspendingClock.now
      timer.reschedule(at: ContinuousClock.now + .seconds(1000))
      return timer.nextFire.map { $0 - before >= .seconds(999) && $0 - before < .seconds(2000) }
    }
    #expect(isThen == true)
  }

  @Test func theNextFiringCanBeSetAndPutOff() {
    let (wasAt, isNever, text) = onThread {
      let log = Log()
      let loop = EventLoop.current
      let timer = EventLoop.Timer(every: .seconds(1000), after: .zero) { log.add("fired") }
      try? loop.add(timer, to: .default)
      timer.nextFire = nil
      let isNever = timer.nextFire == nil
      log.add("\(loop.run(mode: .default, for: .milliseconds(1)))")
      let moment = SuspendingClock.now - .seconds(1)
      timer.nextFire = moment
      loop.run(mode: .default, for: .zero)
      timer.nextFire = moment + .seconds(500)
      return (timer.nextFire.map { $0 - moment }, isNever, log.text)
    }
    #expect(text == "timedOut fired")
    #expect(isNever)
    #expect(wasAt == .seconds(500))
  }

  @Test func firingByHandLeavesTheScheduleOfARepeatingTimerAndEndsAnother() {
    let (text, isUntouched, areValid) = onThread {
      let log = Log()
      let again = EventLoop.Timer(every: .seconds(1000)) { log.add("again") }
      let once = EventLoop.Timer(after: .seconds(1000)) { log.add("once") }
      try? EventLoop.current.add(again, to: .default)
      let next = again.nextFire
      log.add("\(again.fire()) \(again.fire()) \(once.fire()) \(once.fire())")
      return (log.text, next == again.nextFire, [again.isValid, once.isValid])
    }
    #expect(text == "again again once true true true false")
    #expect(isUntouched)
    #expect(areValid == [true, false])
  }

  @Test(arguments: [
    EventLoop.Timer.Overrun.skip, .fromEnd, .catchUp(limit: 3), .catchUp(limit: 0),
  ])
  func theOverrunPolicyReadsAsGiven(overrun: EventLoop.Timer.Overrun) {
    let read = onThread {
      let made = EventLoop.Timer(every: .seconds(1), overrun: overrun) {}
      let told = EventLoop.Timer(after: .seconds(1)) {}
      told.overrun = overrun
      return [made.overrun, told.overrun]
    }
    #expect(read == [overrun, overrun])
  }

  /// A call that takes five intervals and a half, and what comes after it.
  private func nextAfterALateCall(
    _ overrun: EventLoop.Timer.Overrun
  ) -> (afterServed: Duration, afterEnd: Duration, isDue: Bool)? {
    onThread {
      let own = Box<EventLoop.Timer?>(nil)
      let moments = Box<(served: SuspendingClock.Instant, end: SuspendingClock.Instant)?>(nil)
      let timer = EventLoop.Timer(every: .milliseconds(2), after: .zero, overrun: overrun) {
        guard let served = own.value?.nextFire else { return }
        while SuspendingClock.now < served + .milliseconds(11) {}
        moments.value = (served, .now)
      }
      own.value = timer
      try? EventLoop.current.add(timer, to: .default)
      EventLoop.current.run(mode: .default, for: .zero)
      let now = SuspendingClock.now
      guard let next = timer.nextFire, let moments = moments.value else { return nil }
      timer.invalidate()
      return (next - moments.served, next - moments.end, next <= now)
    }
  }

  @Test func missedFiringsAreDroppedWhereTheyAreSkipped() throws {
    let next = try #require(nextAfterALateCall(.skip))
    #expect(next.afterEnd > .zero)
    #expect(next.afterServed.attoseconds.remainder(of: .milliseconds(2)) == 0)
  }

  @Test func theNextFiringIsOneIntervalAfterTheEndOfACallWhereItCountsFromThere() throws {
    let next = try #require(nextAfterALateCall(.fromEnd))
    #expect(next.afterEnd >= .milliseconds(2))
  }

  @Test func theLatestMissedFiringsAreMadeUpForUpToTheLimit() throws {
    let next = try #require(nextAfterALateCall(.catchUp(limit: 2)))
    #expect(next.isDue)
    #expect(next.afterEnd > .milliseconds(-4))
    #expect(next.afterServed.attoseconds.remainder(of: .milliseconds(2)) == 0)
  }

  /// The closure of a timer may use what the code around it may use, without any wrapper.
  @MainActor
  @Test func aClosureHasTheIsolationOfTheCodeAroundIt() {
    final class State { var count = 0 }
    let state = State()
    _ = EventLoop.Timer(after: .seconds(1000)) { state.count += 1 }
    #expect(state.count == 0)
  }
}

extension Duration {
  fileprivate var attoseconds: Int128 {
    Int128(components.seconds) * 1_000_000_000_000_000_000 + Int128(components.attoseconds)
  }
}

extension Int128 {
  fileprivate func remainder(of duration: Duration) -> Int128 { self % duration.attoseconds }
}
