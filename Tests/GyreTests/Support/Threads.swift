import Glibc
import Gyre

/// Something that happens once or several times, waited for with a deadline.
///
/// Unchecked: a semaphore is made for being used by several threads.
final class Event: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func happen() { sem_post(semaphore) }

  /// False when it has not happened within ten seconds.
  func wait(seconds: Int = 10) -> Bool {
    var deadline = timespec()
    clock_gettime(CLOCK_REALTIME, &deadline)
    deadline.tv_sec += seconds
    while sem_timedwait(semaphore, &deadline) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }
}

/// A value behind a lock of the C library, which the thread sanitizer knows. A `Mutex` is handed
/// over by the kernel where threads wait for it, and the sanitizer does not see that.
///
/// Unchecked: the value is used with the lock held.
final class Locked<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}

/// What several threads write down one after the other.
final class Log: Sendable {
  private let words = Locked<[String]>([])

  func add(_ word: String) { words.withLock { $0.append(word) } }

  var text: String { words.withLock { $0.joined(separator: " ") } }
  var count: Int { words.withLock { $0.count } }
}

/// Tells when it is let go.
final class Tracer: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }

  /// Keeps a closure from letting go of what it captures before its end.
  func touch() {}
}

/// Where something is kept that one thread writes and another reads.
final class Box<Value: Sendable>: Sendable {
  private let stored: Locked<Value>

  init(_ value: Value) { stored = Locked(value) }

  var value: Value {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }

  func change(_ body: @Sendable (inout Value) -> Void) { stored.withLock { body(&$0) } }
}

/// Runs a function on a thread of its own and waits for its end. The thread's loop is new and goes
/// with it.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
  let result = Box<Value?>(nil)
  Thread { result.value = body() }.join()
  guard let value = result.value else { fatalError("the thread did not run") }
  return value
}

/// A thread of the system.
struct Thread {
  private let thread: pthread_t

  init(_ body: @escaping @Sendable () -> Void) {
    let argument = Unmanaged.passRetained(Start(body))
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, argument.toOpaque())
    guard error == 0 else { fatalError("no thread") }
    self.thread = thread
  }

  func join() { pthread_join(thread, nil) }

  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}

/// A thread that runs its loop in the default mode until `end`.
struct LoopThread {
  let loop: EventLoop
  private let thread: Thread

  init() {
    let loop = Box<EventLoop?>(nil)
    let isKnown = Event()
    thread = Thread {
      let idle = EventLoop.Source {}
      try? EventLoop.current.add(idle, to: .default)
      loop.value = EventLoop.current
      isKnown.happen()
      EventLoop.current.run()
    }
    guard isKnown.wait(), let loop = loop.value else { fatalError("the thread did not start") }
    self.loop = loop
  }

  func end() {
    loop.stop()
    thread.join()
  }
}

/// A thread that does something and then stands still where it takes its loop down, with what has
/// been handed to that being let go.
struct EndingThread {
  private let thread: Thread
  private let mayGoOn = Event()

  init(_ body: @escaping @Sendable () -> Void) {
    let isThere = Event()
    let mayGoOn = mayGoOn
    thread = Thread {
      let last = Tracer {
        isThere.happen()
        _ = mayGoOn.wait()
      }
      try? EventLoop.current.perform(in: "never") { last.touch() }
      body()
    }
    if !isThere.wait() { fatalError("the thread did not end") }
  }

  func goOn() {
    mayGoOn.happen()
    thread.join()
  }
}

/// Calls a function in the last round of the calling thread's destructors, when its loop has been
/// taken down.
func afterTheLoop(_ body: @escaping @Sendable () -> Void) {
  pthread_setspecific(LastRound.key, Unmanaged.passRetained(LastRound(body)).toOpaque())
}

/// Unchecked: it stays on one thread.
private final class LastRound: @unchecked Sendable {
  static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { value in
      guard let value else { return }
      Unmanaged<LastRound>.fromOpaque(value).takeUnretainedValue().roundComes(value)
    }
    return key
  }()

  private let body: () -> Void
  private var rounds = 0

  init(_ body: @escaping () -> Void) { self.body = body }

  private func roundComes(_ value: UnsafeMutableRawPointer) {
    rounds += 1
    if rounds < 4 {
      pthread_setspecific(Self.key, value)
    } else {
      body()
      Unmanaged<LastRound>.fromOpaque(value).release()
    }
  }
}

/// How a child of the calling thread ends that does nothing but call a function, which gives its
/// exit status: "exit 0", "signal 6".
func endingOfFork(_ body: () -> Int32) -> String {
  // Swift hides fork: much of what a program may do is not allowed in the child.
  typealias Fork = @convention(c) () -> pid_t
  guard let symbol = dlsym(nil, "fork") else { return "no fork" }
  let child = unsafeBitCast(symbol, to: Fork.self)()
  if child == 0 { _exit(body()) }
  var status: Int32 = 0
  while waitpid(child, &status, 0) < 0 && errno == EINTR {}
  return words(forStatus: status)
}

/// What a status of waitpid says: "exit 0", "signal 9".
func words(forStatus status: Int32) -> String {
  let signal = status & 0x7F
  return signal == 0 ? "exit \(status >> 8 & 0xFF)" : "signal \(signal)"
}

/// Waits for something that nothing tells, such as the state of another thread: false when it has
/// not come true within ten seconds.
func waitUntil(_ condition: () -> Bool) -> Bool {
  let deadline = SuspendingClock.now + .seconds(10)
  while !condition() {
    if SuspendingClock.now > deadline { return false }
    usleep(200)
  }
  return true
}

/// The error that a call gives, nil when it goes well.
func errorOf(_ call: () throws(GyreError) -> Void) -> GyreError? {
  do throws(GyreError) {
    try call()
    return nil
  } catch {
    return error
  }
}
