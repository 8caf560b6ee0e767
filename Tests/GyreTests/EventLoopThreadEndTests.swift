import Glibc
import Gyre
import Synchronization
import Testing

@Suite struct EventLoopThreadStopTests {
  @Test func aStopEndsTheThreadInItsSleep() throws {
    let thread = try EventLoopThread()
    #expect(waitUntil { thread.loop.isWaiting })
    thread.stop()
    try thread.join()
    #expect(!thread.loop.isAlive)
    #expect(throws: GyreError.loopEnded) { try thread.perform {} }
  }

  /// Whether or not the thread has come to run its loop: before that a stop waits, after it wakes.
  @Test func aStopIsNeverTooEarly() throws {
    for round in 0..<500 {
      let thread = try EventLoopThread()
      for _ in 0..<(round % 50 * 20) { _ = thread.loop.isWaiting }
      thread.stop()
      try thread.join()
      #expect(!thread.loop.isAlive)
    }
  }

  @Test func aThreadMayStopItself() throws {
    let thread = try EventLoopThread()
    try thread.perform { [loop = thread.loop, unowned thread] in
      thread.stop()
      thread.stop()
      #expect(loop.isCurrent)
    }
    try thread.join()
    #expect(!thread.loop.isAlive)
  }

  @Test func aStopEndsNestedRunsToo() throws {
    let thread = try EventLoopThread()
    let log = Log()
    try thread.perform {
      try? EventLoop.current.add(EventLoop.Source {}, to: "inner")
      log.add("\(EventLoop.current.run(mode: "inner"))")
      log.add("\(EventLoop.current.run(mode: "inner"))")
    }
    #expect(waitUntil { thread.loop.currentMode == "inner" && thread.loop.isWaiting })
    thread.stop()
    try thread.join()
    #expect(log.text == "stopped stopped")
  }

  @Test func aStopConcernsNoOtherThread() throws {
    let other = try EventLoopThread()
    let thread = try EventLoopThread()
    thread.stop()
    try thread.join()
    #expect(!other.loop.isWindingDown)
    let isThere = try other.loop.performAndWait(in: .default) { true }
    #expect(isThere)
  }

  /// Each kind of waiting has its answer, and no closure is called.
  @Test func whatHasNotHadItsTurnIsToldThatTheLoopHasEnded() throws {
    let thread = try EventLoopThread()
    let log = Log()
    let isBusy = Event()
    let mayGoOn = Event()
    try thread.perform {
      isBusy.happen()
      _ = mayGoOn.wait()
    }
    #expect(isBusy.wait())
    let tracer = Box<Tracer?>(Tracer { log.add("let go") })
    try thread.perform(in: ["never run"]) { [tracer = tracer.value] in
      tracer?.touch()
      log.add("called")
    }
    tracer.value = nil
    let request = try thread.loop.perform(in: "never run", after: .zero) { log.add("called") }
    let late = try thread.loop.perform(in: .default, after: .seconds(1000)) { log.add("called") }
    let error = Box<GyreError?>(nil)
    let waiter = Thread {
      error.value = errorOf { () throws(GyreError) in
        try thread.loop.performAndWait(in: "never run") { log.add("called") }
      }
    }
    thread.stop()
    mayGoOn.happen()
    try thread.join()
    waiter.join()
    #expect(error.value == .loopEnded)
    #expect(request.state == .loopEnded)
    #expect(late.state == .loopEnded)
    #expect(log.text == "let go")
  }

  @Test func afterAStopNothingIsTaken() throws {
    let thread = try EventLoopThread()
    let mayGoOn = Event()
    try thread.perform { _ = mayGoOn.wait() }
    thread.stop()
    #expect(throws: GyreError.loopEnded) { try thread.perform {} }
    mayGoOn.happen()
    try thread.join()
  }

  /// The library underneath has a call that ends all runs, too.
  @Test func aLoopThatIsWoundDownEndsTheThread() throws {
    let thread = try EventLoopThread()
    thread.loop.windDown()
    #expect(throws: GyreError.loopEnded) { try thread.perform {} }
    try thread.join()
  }
}

@Suite struct EventLoopThreadFinishTests {
  @Test func whatWasHandedOverBeforeIsCalled() throws {
    let thread = try EventLoopThread()
    let log = Log()
    let mayGoOn = Event()
    try thread.perform { _ = mayGoOn.wait() }
    for number in 1...3 { try thread.perform { log.add("\(number)") } }
    try thread.perform(in: [.default]) { log.add("default") }
    try thread.perform(in: ["never run"]) { log.add("never") }
    thread.finish()
    thread.finish()
    #expect(throws: GyreError.loopEnded) { try thread.perform { log.add("late") } }
    mayGoOn.happen()
    try thread.join()
    #expect(log.text == "1 2 3 default")
  }

  @Test func timersDoNotHoldItUp() throws {
    let thread = try EventLoopThread()
    try thread.perform {
      let timer = EventLoop.Timer(every: .microseconds(100)) {}
      try? EventLoop.current.add(timer, to: .default)
    }
    thread.finish()
    try thread.join()
  }

  @Test func aThreadMayFinishItself() throws {
    let thread = try EventLoopThread()
    let log = Log()
    try thread.perform { [unowned thread] in
      try? thread.perform { log.add("before") }
      thread.finish()
      let error = errorOf { () throws(GyreError) in try thread.perform { log.add("after") } }
      #expect(error == .loopEnded)
    }
    try thread.join()
    #expect(log.text == "before")
  }

  @Test func aStopIsSooner() throws {
    let thread = try EventLoopThread()
    let log = Log()
    let isNested = Event()
    try thread.perform {
      try? EventLoop.current.add(EventLoop.Source {}, to: "inner")
      isNested.happen()
      log.add("\(EventLoop.current.run(mode: "inner"))")
    }
    #expect(isNested.wait())
    thread.finish()
    thread.stop()
    try thread.join()
    #expect(log.text == "stopped")
  }

  @Test func nothingThatWasTakenIsLost() throws {
    for _ in 0..<100 {
      let thread = try EventLoopThread()
      let called = Tallied()
      let makers = (0..<3).map { _ in
        Thread {
          while errorOf({ () throws(GyreError) in try called.hand(to: thread) }) == nil {}
        }
      }
      #expect(waitUntil { called.taken > 10 })
      // What these threads have been told was taken before `finish` is called.
      let before = called.taken
      thread.finish()
      try thread.join()
      for maker in makers { maker.join() }
      #expect(called.called >= before)
    }
  }
}

/// Counts closures.
private final class Tallied: Sendable {
  private let takenCount = Atomic<Int>(0)
  private let calledCount = Atomic<Int>(0)

  var taken: Int { takenCount.load(ordering: .sequentiallyConsistent) }
  var called: Int { calledCount.load(ordering: .sequentiallyConsistent) }

  func hand(to thread: EventLoopThread) throws(GyreError) {
    try thread.perform { self.calledCount.add(1, ordering: .sequentiallyConsistent) }
    takenCount.add(1, ordering: .sequentiallyConsistent)
  }
}

@Suite struct EventLoopThreadJoinTests {
  @Test func severalThreadsMayWaitForTheEnd() throws {
    let thread = try EventLoopThread()
    let errors = Box<[GyreError?]>([])
    let waiters = (0..<4).map { _ in
      Thread {
        let error = errorOf { () throws(GyreError) in try thread.join() }
        errors.change { $0.append(error) }
      }
    }
    thread.stop()
    for waiter in waiters { waiter.join() }
    try thread.join()
    #expect(errors.value == [nil, nil, nil, nil])
    #expect(!thread.loop.isAlive)
  }

  @Test func itWaitsForWhatIsCalledAtTheEnd() throws {
    let thread = try EventLoopThread()
    let isGone = Box(false)
    try thread.loop.performAndWait(in: .default) {
      let source = EventLoop.Source(cancel: { _, _ in isGone.value = true }, perform: {})
      try? EventLoop.current.add(source, to: .default)
    }
    thread.stop()
    try thread.join()
    #expect(isGone.value)
  }

  @Test func aThreadCannotWaitForItself() throws {
    let thread = try EventLoopThread()
    let error = try thread.loop.performAndWait(in: .default) {
      errorOf { () throws(GyreError) in try thread.join() }
    }
    #expect(error == .wouldDeadlock)
    #expect("\(GyreError.wouldDeadlock)" == "the thread would wait for its own end")
    // Nor while another waits for it.
    let waiter = Thread { _ = errorOf { () throws(GyreError) in try thread.join() } }
    let again = try thread.loop.performAndWait(in: .default) {
      errorOf { () throws(GyreError) in try thread.join() }
    }
    #expect(again == .wouldDeadlock)
    thread.stop()
    waiter.join()
  }

  /// The system gives the handle of a thread that was joined to another one.
  @Test func aThreadThatHasBeenJoinedIsNobodyElse() throws {
    let gone = try EventLoopThread()
    gone.stop()
    try gone.join()
    let next = try EventLoopThread()
    let error = try next.loop.performAndWait(in: .default) {
      errorOf { () throws(GyreError) in try gone.join() }
    }
    #expect(error == nil)
  }

  /// Under the thread sanitizer a child may find a lock of the runtime taken.
  @Test(.enabled(if: Sanitizer.current != .thread))
  func aChildOfForkHasNoSuchThread() {
    let ending = onThread {
      guard let thread = try? EventLoopThread() else { return "no thread" }
      let ending = endingOfFork {
        thread.stop()
        let error = errorOf { () throws(GyreError) in try thread.join() }
        return error == nil && !thread.loop.isAlive ? 0 : 1
      }
      return ending
    }
    #expect(ending == "exit 0")
  }
}

@Suite struct EventLoopThreadOwnerTests {
  @Test func theThreadEndsWhenNobodyHoldsIt() throws {
    let log = Log()
    var thread: EventLoopThread? = try EventLoopThread()
    let loop = try #require(thread?.loop)
    let isSetUp = Event()
    try thread?.perform {
      let tracer = Tracer { log.add("let go") }
      let timer = EventLoop.Timer(every: .seconds(1000)) { tracer.touch() }
      try? EventLoop.current.add(timer, to: .default)
      isSetUp.happen()
    }
    #expect(isSetUp.wait())
    #expect(waitUntil { loop.isWaiting })
    thread = nil
    #expect(loop.isWindingDown)
    #expect(waitUntil { !loop.isAlive })
    #expect(waitUntil { log.text == "let go" })
  }

  /// Neither the thread, which runs, nor its loop keeps who owns it.
  @Test func itIsNotKeptByWhatRuns() throws {
    weak var observed: EventLoopThread?
    let loop: EventLoop
    do {
      let thread = try EventLoopThread()
      observed = thread
      loop = thread.loop
      #expect(waitUntil { loop.isWaiting })
    }
    #expect(observed == nil)
    #expect(waitUntil { !loop.isAlive })
  }

  @Test func itsLoopGoesWithTheThread() throws {
    let observed = Observed()
    do {
      let thread = try EventLoopThread()
      observed.loop = thread.loop
      thread.stop()
      try thread.join()
    }
    #expect(observed.loop == nil)
  }

  /// An owner that holds the thread, and whose method a timer on it calls, goes when it is let go.
  @Test func anOwnerThatIsUsedOnTheThreadGoes() throws {
    let log = Log()
    var owner: Owner? = try Owner(log)
    try owner?.start()
    #expect(waitUntil { log.count > 2 })
    owner = nil
    #expect(waitUntil { log.text.hasSuffix("gone") })
  }

  @Test func theLastReferenceMayGoOnTheThreadItself() throws {
    for _ in 0..<100 {
      let loop: EventLoop
      do {
        let thread = try EventLoopThread()
        loop = thread.loop
        try thread.perform { withExtendedLifetime(thread) {} }
      }
      #expect(waitUntil { !loop.isAlive })
    }
  }

  /// In a process where no other test makes threads or descriptors. The runtime makes a few.
  @Test(.enabled(if: Sanitizer.current != .thread))
  func threadsThatComeAndGoLeaveNothing() async {
    await #expect(processExitsWith: .success) {
      func comeAndGo(_ isJoined: Bool) {
        guard let thread = try? EventLoopThread(name: "guest") else { exit(2) }
        try? thread.perform {}
        if isJoined {
          thread.finish()
          if errorOf({ () throws(GyreError) in try thread.join() }) != nil { exit(3) }
        }
      }
      let descriptors = descriptorCount()
      for round in 0..<200 { comeAndGo(round % 2 == 0) }
      let isClean = waitUntil {
        threadCount(named: "guest") == 0 && descriptorCount() < descriptors + 100
      }
      exit(isClean ? 0 : 1)
    }
  }
}

private final class Owner: Sendable {
  private let thread: EventLoopThread
  private let log: Log

  init(_ log: Log) throws(GyreError) {
    thread = try EventLoopThread(name: "owned")
    self.log = log
  }

  deinit { log.add("gone") }

  func start() throws(GyreError) {
    try thread.perform { [weak self] in
      let timer = EventLoop.Timer(every: .microseconds(100)) { self?.tick() }
      try? EventLoop.current.add(timer, to: .default)
    }
  }

  private func tick() { log.add("tick") }
}

/// Unchecked: written before its thread has ended, and read after that.
private final class Observed: @unchecked Sendable {
  weak var loop: EventLoop?
}

/// How many descriptors the process has open, and that of the folder.
func descriptorCount() -> Int {
  guard let folder = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(folder) }
  var count = 0
  while readdir(folder) != nil { count += 1 }
  return count
}
