import Glibc
import Gyre
import Testing

@Suite struct EventLoopGroupTests {
  @Test func itHasThreadsWithLoopsOfTheirOwn() throws {
    let group = try EventLoopGroup(count: 3, name: "io")
    #expect(group.threads.map(\.name) == ["io-1", "io-2", "io-3"])
    #expect(Set(group.threads.map { ObjectIdentifier($0.loop) }).count == 3)
    for thread in group.threads {
      let name = try thread.loop.performAndWait(in: .default) { ownThreadName() }
      #expect(name == thread.name)
    }
    try group.shutDown()
  }

  @Test func aLongNameLeavesRoomForTheNumber() throws {
    let group = try EventLoopGroup(count: 2, name: "a long name, é too")
    defer { group.stop() }
    let shown = try group.threads.map { thread in
      try thread.loop.performAndWait(in: .default) { ownThreadName() }
    }
    #expect(shown == ["a long name, -1", "a long name, -2"])
    #expect(group.threads[1].name == "a long name, é too-2")
    let other = try EventLoopGroup(count: 1, name: "123456789012é")
    let name = try other.threads[0].loop.performAndWait(in: .default) { ownThreadName() }
    #expect(name == "123456789012-1")
  }

  @Test func aGroupWithoutThreadsIsRefused() {
    for count in [0, -1, Int.min] {
      #expect(throws: GyreError.invalid) { try EventLoopGroup(count: count) }
    }
  }

  @Test func theThreadsHaveTheirTurnsOneAfterTheOther() throws {
    let group = try EventLoopGroup(count: 3)
    let turns = (0..<7).map { _ in index(of: group.next(), in: group) }
    #expect(turns == [0, 1, 2, 0, 1, 2, 0])
    group.stop()
    try group.join()
  }

  @Test func severalCallersShareTheTurnsOut() throws {
    let group = try EventLoopGroup(count: 4)
    let counts = Box([0, 0, 0, 0])
    let callers = (0..<4).map { _ in
      Thread {
        for _ in 0..<1000 {
          let turn = index(of: group.next(), in: group)
          counts.change { $0[turn] += 1 }
        }
      }
    }
    for caller in callers { caller.join() }
    #expect(counts.value == [1000, 1000, 1000, 1000])
    try group.shutDown()
  }

  @Test func theLeastBusyOneHasTheFewestClosuresInFlight() throws {
    let group = try EventLoopGroup(count: 3)
    let mayReturn = Event()
    let wait: @Sendable () -> Void = { _ = mayReturn.wait() }
    var order: [Int] = []
    for _ in 0..<7 {
      let thread = group.leastBusy
      order.append(index(of: thread, in: group))
      try thread.perform(wait)
    }
    #expect(order == [0, 1, 2, 0, 1, 2, 0])
    try group.threads[1].perform(wait)
    try group.threads[1].perform(wait)
    #expect(index(of: group.leastBusy, in: group) == 2)
    group.threads[2].stop()
    #expect(index(of: group.leastBusy, in: group) == 0)
    group.threads[0].finish()
    #expect(index(of: group.leastBusy, in: group) == 1)
    for _ in 0..<9 { mayReturn.happen() }
    #expect(waitUntil { group.threads[1].pendingCount == 0 })
    try group.shutDown()
  }

  @Test func whenAllHaveEndedTheLeastBusyOneRefuses() throws {
    let group = try EventLoopGroup(count: 2)
    try group.shutDown()
    #expect(throws: GyreError.loopEnded) { try group.leastBusy.perform {} }
    #expect(throws: GyreError.loopEnded) { try group.next().perform {} }
  }
}

@Suite struct EventLoopGroupEndTests {
  @Test func aShutDownCallsWhatWasHandedOverAndWaits() throws {
    let group = try EventLoopGroup(count: 3)
    let called = Box(0)
    for _ in 0..<300 {
      try group.next().perform { called.change { $0 += 1 } }
    }
    try group.shutDown()
    #expect(called.value == 300)
    #expect(group.threads.allSatisfy { !$0.loop.isAlive })
    // Once more there is nothing to do.
    try group.shutDown()
  }

  @Test func aStopCallsNothingMore() throws {
    let group = try EventLoopGroup(count: 2)
    let log = Log()
    let isBusy = Event()
    let mayReturn = Event()
    for thread in group.threads {
      try thread.perform {
        isBusy.happen()
        _ = mayReturn.wait()
        try? EventLoop.current.perform(in: "never run") { log.add("never") }
      }
      #expect(isBusy.wait())
      try thread.perform(in: ["never run"]) { log.add("never") }
    }
    group.stop()
    #expect(throws: GyreError.loopEnded) { try group.next().perform { log.add("late") } }
    for _ in group.threads { mayReturn.happen() }
    try group.join()
    #expect(log.text == "")
    #expect(group.threads.allSatisfy { $0.pendingCount == 0 })
  }

  @Test func itsOwnThreadsCannotShutItDown() throws {
    let group = try EventLoopGroup(count: 2)
    let errors = try group.threads[1].loop.performAndWait(in: .default) {
      [
        errorOf { () throws(GyreError) in try group.shutDown() },
        errorOf { () throws(GyreError) in try group.join() },
      ]
    }
    #expect(errors == [.wouldDeadlock, .wouldDeadlock])
    // Nothing was done.
    for thread in group.threads {
      #expect(try thread.loop.performAndWait(in: .default) { true })
    }
    try group.threads[0].perform { group.stop() }
    try group.join()
  }

  @Test func theThreadsEndWhenNobodyHoldsTheGroup() throws {
    weak var observed: EventLoopGroup?
    let loops: [EventLoop]
    let kept: EventLoopThread
    do {
      let group = try EventLoopGroup(count: 3)
      observed = group
      loops = group.threads.map(\.loop)
      kept = group.threads[2]
    }
    #expect(observed == nil)
    #expect(waitUntil { !loops[0].isAlive && !loops[1].isAlive })
    #expect(try kept.loop.performAndWait(in: .default) { true })
  }

  /// Some threads are there when the system refuses the next. The runtime makes a few of its own,
  /// and descriptors.
  @Test(.enabled(if: Sanitizer.current != .thread))
  func aGroupThatTheSystemRefusesLeavesNothing() async {
    await #expect(processExitsWith: .success) {
      let descriptors = descriptorCount()
      var limit = rlimit(rlim_cur: rlim_t(descriptors + 100), rlim_max: 1000)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let error = errorOf { () throws(GyreError) in
        _ = try EventLoopGroup(count: 200, name: "guest")
      }
      if error?.errno != EMFILE { exit(2) }
      let isClean = waitUntil {
        threadCount(named: "guest") == 0 && descriptorCount() < descriptors + 50
      }
      exit(isClean ? 0 : 1)
    }
  }
}

private func index(of thread: EventLoopThread, in group: EventLoopGroup) -> Int {
  group.threads.firstIndex { $0 === thread } ?? -1
}
