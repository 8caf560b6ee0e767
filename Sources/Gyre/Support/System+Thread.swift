// What the module takes from the C library of the system for threads.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A thread of the system, which is joined, or let go on its own when nobody holds this.
///
/// Unchecked: the handle does not change. It is used until the thread has been joined, and by one
/// thread at a time.
final class SystemThread: @unchecked Sendable {
  private let handle: pthread_t
  /// A child of fork has no such thread.
  private let process = getpid()
  /// Set, with the lock held, when the handle means nothing any more.
  private let isJoined = Atomic<Bool>(false)
  private let joining = Mutex(())

  /// Starts a thread, which lets go of `body` when it has returned.
  init(_ body: @escaping @Sendable () -> Void) throws(GyreError) {
    let start = Unmanaged.passRetained(Start(body: body))
    #if canImport(Musl)
      var handle: pthread_t?
    #else
      var handle = pthread_t()
    #endif
    let error = pthread_create(&handle, nil, { Start.run($0) }, start.toOpaque())
    if error != 0 {
      start.release()
      throw GyreError(errno: error)
    }
    #if canImport(Musl)
      guard let handle else { fatalError("Gyre: a thread without a handle") }
    #endif
    self.handle = handle
  }

  deinit {
    let isOurs = !isJoined.load(ordering: .acquiring) && process == getpid()
    if isOurs { pthread_detach(handle) }
  }

  /// Waits until the thread has ended, with all that is done at a thread's end. Any thread; once
  /// more does nothing.
  func join() throws(GyreError) {
    if process != getpid() || isJoined.load(ordering: .acquiring) { return }
    // The caller lives. So if it has the handle of a thread that was not joined, it is that one.
    if pthread_equal(pthread_self(), handle) != 0 { throw .wouldDeadlock }
    let error = joining.withLock { _ in
      // Who comes second waits for the first, and finds that it has been done. Acquire, although
      // the lock is one: the thread sanitizer does not see a lock that the kernel hands over.
      if isJoined.load(ordering: .acquiring) { return Int32(0) }
      let error = pthread_join(handle, nil)
      // Release: pairs with both acquires. Two threads that join one another are told.
      if error == 0 { isJoined.store(true, ordering: .releasing) }
      return error
    }
    if error != 0 { throw GyreError(errno: error) }
  }

  private final class Start: Sendable {
    private let body: @Sendable () -> Void

    init(body: @escaping @Sendable () -> Void) { self.body = body }

    static func run(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
      guard let start else { return nil }
      Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body()
      return nil
    }
  }
}

/// What one thread waits for and another one tells, once.
///
/// Unchecked: a semaphore is made for several threads, and the value is written before it is raised
/// and read after it was waited for.
final class Promise<Value: Sendable>: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  private var value: Value?

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func keep(_ value: Value) {
    self.value = value
    sem_post(semaphore)
  }

  /// One thread.
  func wait() -> Value {
    while sem_wait(semaphore) != 0 {}  // interrupted by a signal
    guard let value else { fatalError("Gyre: told nothing") }
    return value
  }
}
