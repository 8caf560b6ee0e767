import Gyre
import Testing

@Suite struct EventLoopRunUntilTests {
  @Test func itServesWhatComesUpToAMomentAndIsNotEarly() {
    let calls = Log()
    let (result, isEarly) = onThread {
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      for word in ["a", "b", "c"] { try? loop.perform(in: .default) { calls.add(word) } }
      let deadline = SuspendingClock.now + .milliseconds(20)
      return (loop.run(until: deadline), SuspendingClock.now < deadline)
    }
    #expect(result == .timedOut)
    #expect(!isEarly)
    #expect(calls.text == "a b c")
  }

  @Test func itCountsByEitherClock() {
    let (results, areEarly) = onThread {
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      let first = ContinuousClock.now + .milliseconds(10)
      var results = [loop.run(until: first)]
      var areEarly = [ContinuousClock.now < first]
      let second = ContinuousClock.now + .milliseconds(10)
      results.append(loop.run(mode: .default, until: second))
      areEarly.append(ContinuousClock.now < second)
      return (results, areEarly)
    }
    #expect(results == [.timedOut, .timedOut])
    #expect(areEarly == [false, false])
  }

  @Test func anEmptyModeReturnsAtOnceWhateverTheMoment() {
    #expect(onThread { EventLoop.current.run(until: .now + .seconds(1000)) } == .finished)
  }

  @Test func aMomentThatHasPassedMakesOnePass() {
    let calls = Log()
    let result = onThread {
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      try? loop.perform(in: .default) { calls.add("call") }
      return loop.run(until: .now - .seconds(1))
    }
    #expect(result == .timedOut)
    #expect(calls.text == "call")
  }

  @Test func aStopEndsIt() {
    let result = onThread {
      let loop = EventLoop.current
      try? loop.perform(in: .default) { EventLoop.current.stop() }
      return loop.run(until: .now + .seconds(1000))
    }
    #expect(result == .stopped)
  }

  @Test func momentsFarAwayAreNoBound() {
    let results = onThread {
      let loop = EventLoop.current
      try? loop.perform(in: .default) { EventLoop.current.stop() }
      let far = loop.run(until: SuspendingClock.now + .seconds(1 << 40))
      try? loop.perform(in: .default) { EventLoop.current.stop() }
      return [far, loop.run(until: ContinuousClock.now + .seconds(1 << 40))]
    }
    #expect(results == [.stopped, .stopped])
  }
}
