import Glibc
import Gyre
import Testing

@Suite struct EventLoopRunConditionTests {
  @Test func aConditionThatIsTrueNeedsNoRun() {
    let calls = Log()
    let result = onThread {
      let loop = EventLoop.current
      try? loop.perform(in: .default) { calls.add("call") }
      return loop.run(mode: .default) { true }
    }
    #expect(result)
    #expect(calls.text == "")
  }

  @Test func itRunsUntilTheConditionIsTrue() {
    let ticks = Box(0)
    let result = onThread {
      let loop = EventLoop.current
      let ticker = EventLoop.Timer(every: .milliseconds(1)) { ticks.value += 1 }
      try? loop.add(ticker, to: .default)
      return loop.run(mode: .default) { ticks.value >= 3 }
    }
    #expect(result)
    #expect(ticks.value == 3)
  }

  /// F9: what an empty mode gives at once is no answer to whoever waits for something.
  @Test func anEmptyModeIsWaitedIn() {
    let isTrue = Box(false)
    let seen = Box<EventLoop?>(nil)
    let isKnown = Event()
    let result = Box(false)
    let thread = Thread {
      seen.value = .current
      isKnown.happen()
      result.value = EventLoop.current.run(mode: "empty") { isTrue.value }
    }
    #expect(isKnown.wait())
    try? seen.value?.perform(in: "empty") { isTrue.value = true }
    thread.join()
    #expect(result.value)
  }

  @Test func aWakeUpAfterwardsIsEnough() {
    let isTrue = Box(false)
    let seen = Box<EventLoop?>(nil)
    let isKnown = Event()
    let thread = Thread {
      seen.value = .current
      isKnown.happen()
      EventLoop.current.run(mode: .default) { isTrue.value }
    }
    #expect(isKnown.wait())
    while seen.value?.isWaiting != true { sched_yield() }
    isTrue.value = true
    seen.value?.wakeUp()
    thread.join()
  }

  /// F10.
  @Test func aStopDoesNotEndIt() {
    let calls = Log()
    let result = onThread {
      let loop = EventLoop.current
      try? loop.perform(in: .default) { EventLoop.current.stop() }
      _ = try? loop.perform(in: .default, after: .milliseconds(1)) { calls.add("later") }
      return loop.run(mode: .default) { calls.count == 1 }
    }
    #expect(result)
  }

  @Test func theTimeOrTheEndOfAllRunsEndsIt() {
    let (results, isEarly) = onThread {
      let loop = EventLoop.current
      let deadline = SuspendingClock.now + .milliseconds(10)
      var results = [loop.run(mode: .default, for: .milliseconds(10)) { false }]
      let isEarly = SuspendingClock.now < deadline
      results.append(loop.run(mode: .default, for: .zero) { false })
      results.append(loop.run(mode: .default, for: .seconds(-1)) { false })
      try? loop.perform(in: .default) { EventLoop.current.windDown() }
      results.append(loop.run(mode: .default) { false })
      results.append(loop.run(mode: .default) { false })
      return (results, isEarly)
    }
    #expect(results == [false, false, false, false, false])
    #expect(!isEarly)
  }

  /// A busy loop does not wait, and its condition is looked at all the same.
  @Test func aLoopThatNeverSleepsAsksToo() {
    let count = onThread {
      let loop = EventLoop.current
      var count = 0
      var again: EventLoop.Source?
      let source = EventLoop.Source {
        count += 1
        again?.signal()
      }
      again = source
      try? loop.add(source, to: .default)
      source.signal()
      loop.run(mode: .default) { count >= 100 }
      source.invalidate()
      again = nil
      return count
    }
    #expect(count == 100 || count == 101)
  }

  @Test func aRunInsideIsLeftAlone() {
    let inner = Box<EventLoop.RunResult?>(nil)
    let result = onThread {
      let loop = EventLoop.current
      let isTrue = Box(false)
      try? loop.perform(in: .default) {
        isTrue.value = true
        inner.value = EventLoop.current.run(mode: .default, for: .milliseconds(5))
      }
      return loop.run(mode: .default) { isTrue.value }
    }
    #expect(result)
    #expect(inner.value == .timedOut)
  }

  @Test func nothingStaysInTheMode() {
    let result = onThread {
      let loop = EventLoop.current
      loop.run(mode: .default, for: .milliseconds(1)) { false }
      return loop.run(mode: .default)
    }
    #expect(result == .finished)
  }

  /// What comes true in the pass in which the time is over has come true.
  @Test func theEndOfTheTimeAsksOnceMore() {
    let result = onThread {
      let loop = EventLoop.current
      let isTrue = Box(false)
      let late = EventLoop.Timer(after: .milliseconds(1)) {
        let end = SuspendingClock.now + .milliseconds(20)
        while SuspendingClock.now < end { usleep(1000) }
        isTrue.value = true
      }
      try? loop.add(late, to: .default)
      return loop.run(mode: .default, for: .milliseconds(10)) { isTrue.value }
    }
    #expect(result)
  }

  @Test(arguments: [Duration.zero, .seconds(-1), .nanoseconds(Int64.min), .seconds(Int64.min)])
  func noTimeMakesOnePass(duration: Duration) {
    let calls = Log()
    let result = onThread {
      let loop = EventLoop.current
      try? loop.perform(in: .default) { calls.add("call") }
      return loop.run(mode: .default, for: duration) { calls.count == 1 }
    }
    #expect(result)
    #expect(calls.text == "call")
  }

  /// A run in it ends at once, and would be begun for ever.
  @Test func theNameOfTheCommonModesIsRefused() {
    let result = onThread {
      EventLoop.current.run(mode: EventLoop.Mode("kCFRunLoopCommonModes")) { false }
    }
    #expect(!result)
  }
}
