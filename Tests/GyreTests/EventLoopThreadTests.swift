import CGyre
import Glibc
import Gyre
import Synchronization
import Testing

@Suite struct EventLoopThreadTests {
  @Test func itRunsALoopOfItsOwnAndWaitsWithNothingToDo() throws {
    let thread = try EventLoopThread()
    #expect(thread.loop.isAlive)
    #expect(!thread.loop.isCurrent)
    #expect(waitUntil { thread.loop.isWaiting })
    #expect(thread.loop.currentMode == .default)
    let maker = pthread_self()
    let isAnother = try thread.loop.performAndWait(in: .default) {
      EventLoop.current === thread.loop && pthread_equal(pthread_self(), maker) == 0
    }
    #expect(isAnother)
  }

  @Test func closuresAreCalledOnItsThreadInOrder() throws {
    let thread = try EventLoopThread()
    let log = Log()
    let isDone = Event()
    for number in 1...5 { try thread.perform { log.add("\(number)") } }
    try thread.perform {
      log.add("\(thread.loop.isCurrent)")
      isDone.happen()
    }
    #expect(isDone.wait())
    #expect(log.text == "1 2 3 4 5 true")
  }

  @Test func aClosureRunsInTheModesThatItIsFor() throws {
    let thread = try EventLoopThread()
    let log = Log()
    let isDone = Event()
    try thread.perform(in: ["private"]) { log.add("private") }
    try thread.perform {
      log.add("common")
      EventLoop.current.run(mode: "private", for: .zero)
      isDone.happen()
    }
    #expect(isDone.wait())
    #expect(log.text == "common private")
    #expect(throws: GyreError.invalid) { try thread.perform(in: []) {} }
  }

  @Test func anItemIsMadeOnItsThread() throws {
    let thread = try EventLoopThread()
    let hasFired = Event()
    try thread.perform {
      try? EventLoop.current.add(EventLoop.Timer(after: .zero) { hasFired.happen() }, to: .default)
    }
    #expect(hasFired.wait())
  }

  /// A stop is for a run. What a closure, or a library that it calls, stops is not the thread.
  @Test func aStopOfItsLoopDoesNotEndTheThread() throws {
    let thread = try EventLoopThread()
    for _ in 0..<100 { thread.loop.stop() }
    try thread.loop.performAndWait(in: .default) { EventLoop.current.stop() }
    let isThere = try thread.loop.performAndWait(in: .default) { true }
    #expect(isThere)
    #expect(waitUntil { thread.loop.isWaiting })
  }

  @Test func itIsShownByItsName() throws {
    let name = { () throws(GyreError) in
      let thread = try EventLoopThread(name: "a worker of mine é")
      #expect(thread.name == "a worker of mine é")
      return try thread.loop.performAndWait(in: .default) { ownThreadName() }
    }
    #expect(try name() == "a worker of min")
  }

  @Test func withoutANameItHasThatOfItsMaker() throws {
    let name = onThread {
      GYThreadSetName("its maker")
      guard let thread = try? EventLoopThread() else { return nil as String? }
      defer { thread.stop() }
      return try? thread.loop.performAndWait(in: .default) { ownThreadName() }
    }
    #expect(name == "its maker")
  }

  @Test func itCountsTheClosuresThatHaveNotReturned() throws {
    let thread = try EventLoopThread()
    let isCalled = Event()
    let mayReturn = Event()
    #expect(thread.pendingCount == 0)
    try thread.perform {
      isCalled.happen()
      _ = mayReturn.wait()
    }
    #expect(isCalled.wait())
    try thread.perform {}
    try thread.perform(in: ["never run"]) {}
    try thread.loop.perform(in: .default) {}
    #expect(thread.pendingCount == 3)
    mayReturn.happen()
    #expect(waitUntil { thread.pendingCount == 1 })
    thread.stop()
    try thread.join()
    #expect(thread.pendingCount == 0)
  }

  @Test func whatItRefusesDoesNotCount() throws {
    let thread = try EventLoopThread()
    #expect(throws: GyreError.invalid) { try thread.perform(in: []) {} }
    #expect(thread.pendingCount == 0)
  }

  /// The error keeps what the system says. Memory for a thread's stack is hard to refuse under a
  /// sanitizer, which has taken much itself.
  @Test(.enabled(if: Sanitizer.current == .none))
  func aThreadThatTheSystemRefusesIsAnError() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 64 << 20, rlim_max: 64 << 20)
      // Less than is in use: nothing more is given.
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      var isRefused = false
      do throws(GyreError) {
        _ = try EventLoopThread(name: "refused")
      } catch {
        isRefused = error.errno == EAGAIN
      }
      exit(isRefused ? 0 : 1)
    }
  }

  /// The thread was there already, and has ended when the error comes.
  @Test(.enabled(if: Sanitizer.current != .thread))
  func descriptorsThatTheSystemRefusesAreAnError() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 0, rlim_max: 1000)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let error = errorOf { () throws(GyreError) in _ = try EventLoopThread(name: "refused") }
      limit.rlim_cur = 1000
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let isRefused = error?.errno == EMFILE && threadCount(named: "refused") == 0
      exit(isRefused ? 0 : 1)
    }
  }
}

/// What the kernel shows the calling thread as.
func ownThreadName() -> String {
  let text = Place.contents(of: "/proc/thread-self/comm") ?? ""
  return text.hasSuffix("\n") ? String(text.dropLast()) : text
}

/// How many threads the process has whose names begin so.
func threadCount(named name: String) -> Int {
  guard let folder = opendir("/proc/self/task") else { return -1 }
  defer { closedir(folder) }
  var count = 0
  while let entry = readdir(folder) {
    let thread = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    let shown = Place.contents(of: "/proc/self/task/\(thread)/comm") ?? ""
    if shown.hasPrefix(name) { count += 1 }
  }
  return count
}
