import Gyre
import Testing

@Suite struct EventLoopDeadlinesTests {
  @Test func theModesAreThoseThatHaveBeenUsed() {
    let modes = onThread {
      let loop = EventLoop.current
      let timer = EventLoop.Timer(after: .seconds(1000)) {}
      try? loop.add(timer, to: ["a", "b"])
      try? loop.perform(in: "c") {}
      loop.run(mode: "d", for: .zero)
      return Set(loop.modes)
    }
    #expect(modes == [.default, "a", "b", "c"])
  }

  @Test func theNextDeadlineIsThatOfTheEarliestTimerOfTheMode() {
    let (deadline, wanted, other) = onThread {
      let loop = EventLoop.current
      let early = EventLoop.Timer(after: .seconds(1000)) {}
      let late = EventLoop.Timer(after: .seconds(2000)) {}
      for timer in [late, early] { try? loop.add(timer, to: .default) }
      return (loop.nextDeadline(in: .default), early.nextFire, loop.nextDeadline(in: "other"))
    }
    #expect(deadline != nil)
    #expect(deadline == wanted)
    #expect(other == nil)
  }

  @Test func aModeIsEmptyOrHasALimitOrNone() {
    let (empty, unlimited, limited, deadline) = onThread {
      let loop = EventLoop.current
      let empty = loop.limitDate(in: .default)
      try? loop.add(EventLoop.Source {}, to: .default)
      let unlimited = loop.limitDate(in: .default)
      let timer = EventLoop.Timer(after: .seconds(1000)) {}
      try? loop.add(timer, to: .default)
      return (empty, unlimited, loop.limitDate(in: .default), timer.nextFire)
    }
    #expect(empty == .empty)
    #expect(unlimited == .unlimited)
    #expect(deadline.map { limited == .until($0) } == true)
  }

  @Test func askingForTheLimitMakesAPass() {
    let calls = Log()
    onThread {
      let loop = EventLoop.current
      try? loop.perform(in: .default) { calls.add("closure") }
      try? loop.add(EventLoop.Timer(after: .zero) { calls.add("timer") }, to: .default)
      loop.limitDate(in: .default)
    }
    #expect(calls.text == "closure timer")
  }

  @Test func aStopThatWaitsIsNotUsedUpByAskingForTheLimit() {
    let (limit, result) = onThread {
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      loop.stop()
      return (loop.limitDate(in: .default), loop.run())
    }
    #expect(limit == .unlimited)
    #expect(result == .stopped)
  }
}
