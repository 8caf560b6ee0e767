import Gyre
import Testing

/// R203.
@Suite struct DrainPoolPolicyTests {
  typealias Policy = DrainPool.Policy

  @Test(arguments: [
    (Policy.everyIteration, "deferred polling exit ended | deferred waiting exit ended"),
    (.beforeWaiting, "exit deferred ended | deferred waiting exit ended"),
    (.onExit, "exit deferred ended | exit deferred ended"),
  ])
  func aPolicySaysWhereAModeDrains(policy: Policy, expected: String) {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.setDrainPolicy(policy, of: .default)
      watch(log)
      loop.run(mode: .default, for: .zero)
      log.add("|")
      try? loop.add(EventLoop.Timer(after: .milliseconds(1)) { loop.stop() }, to: .default)
      loop.run()
      return log.text
    }
    #expect(text == expected)
  }

  @Test func aRunFollowsANewPolicyFromItsNextDrainPointOn() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      watch(log)
      try? loop.add(
        EventLoop.Observer(.beforeTimers) { _ in try? loop.setDrainPolicy(.onExit, of: .default) },
        to: .default)
      loop.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "exit deferred ended")
  }

  @Test func eachModeHasAPolicyOfItsOwn() throws {
    let policies = try onThread {
      let loop = EventLoop.current
      return Result {
        try loop.setDrainPolicy(.onExit, of: "quiet")
        try loop.setDrainPolicy(.beforeWaiting, of: .tracking)
        return [Policy](
          ["quiet", .tracking, .default, "never heard of"].map { loop.drainPolicy(of: $0) })
      }
    }.get()
    #expect(policies == [.onExit, .beforeWaiting, .everyIteration, .everyIteration])
  }

  @Test func anotherThreadMaySetIt() {
    let policy = onThread {
      let loop = EventLoop.current
      onThread { try? loop.setDrainPolicy(.onExit, of: .default) }
      return loop.drainPolicy(of: .default)
    }
    #expect(policy == .onExit)
  }

  /// R16.
  @Test func theNameOfTheCommonModesHasNone() {
    let (error, policy) = onThread {
      let loop = EventLoop.current
      let name = EventLoop.Mode("kCFRunLoopCommonModes")
      let error = errorOf { () throws(GyreError) in try loop.setDrainPolicy(.onExit, of: name) }
      return (error, loop.drainPolicy(of: name))
    }
    #expect(error == .invalid)
    #expect(policy == .everyIteration)
  }

  @Test func aLoopThatHasEndedHasNone() {
    let loop = onThread {
      try? EventLoop.current.setDrainPolicy(.onExit, of: .default)
      return EventLoop.current
    }
    let error = errorOf { () throws(GyreError) in try loop.setDrainPolicy(.onExit, of: .default) }
    #expect(error == .loopEnded)
    #expect(loop.drainPolicy(of: .default) == .everyIteration)
  }

  /// Writes down where a run of the default mode drains its pool, ends and calls hooks.
  private func watch(_ log: Log) {
    let loop = EventLoop.current
    try? loop.add(EventLoop.Source {}, to: .default)
    let observer = EventLoop.Observer([.beforeSources, .exit]) {
      if $0 == .exit { log.add("exit") } else { put(off: "deferred", log) }
    }
    try? loop.add(observer, to: .default)
    let hook = EventLoop.DrainHook(.all) {
      log.add($0 == .exit ? "ended" : $0 == .beforeWaiting ? "waiting" : "polling")
    }
    try? loop.add(hook, to: .default)
  }
}
