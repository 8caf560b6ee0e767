// What the module takes from the C library of the system. Beside this file and its extensions no
// other names it.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

enum System {
  static let noMemory = ENOMEM
  static let noSuchLoop = ESRCH
  static let notPermitted = EPERM
  static let invalid = EINVAL
  static let deadlock = EDEADLK
  static let busy = EBUSY
  static let addressInUse = EADDRINUSE

  // The events of epoll. The kernel gives them the bits of poll's, whose header is the one that
  // Swift imports.
  static let inputEvent = UInt32(POLLIN)
  static let outputEvent = UInt32(POLLOUT)
  static let errorEvent = UInt32(POLLERR)
  static let hangUpEvent = UInt32(POLLHUP)
  static let halfHangUpEvent: UInt32 = 0x2000

  /// The calling thread's `errno`.
  static var errorNumber: Int32 {
    get { errno }
    set { errno = newValue }
  }

  static func message(for errorNumber: Int32) -> String {
    String(cString: strerror(errorNumber))
  }

  static func close(_ descriptor: Int32) {
    let saved = errno
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #endif
    errno = saved
  }

  /// Nanoseconds of the kernel's clocks, whatever clock the loop of the calling thread goes by.
  static var monotonicNow: Int64 { nanoseconds(of: CLOCK_MONOTONIC) }

  /// Since 1970.
  static var wallNow: Int64 { nanoseconds(of: CLOCK_REALTIME) }

  private static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Lets another thread go on that has only a few instructions left to do.
  static func giveWay() { sched_yield() }
}

/// A pointer that each thread has one of.
///
/// The key is made on first use. An atomic does for that: what the runtime does to initialise a
/// global takes a lock each time in a program that was single-threaded then, and a child of fork
/// may find it taken.
struct ThreadValue: ~Copyable {
  /// The key and 1; 0 where there is none yet.
  private let stored = Atomic<UInt>(0)

  /// Makes the key, where nobody has.
  ///
  /// - Parameter destroy: called with the value at the end of each thread that has one.
  func prepare(destroy: @convention(c) (UnsafeMutableRawPointer?) -> Void) {
    var key = pthread_key_t()
    guard pthread_key_create(&key, destroy) == 0 else {
      fatalError("Gyre: no key for thread-specific data is left")
    }
    // Whoever reads the number needs nothing that was written before it.
    let (isOurs, _) = stored.compareExchange(
      expected: 0, desired: UInt(key) + 1, ordering: .relaxed)
    if !isOurs { pthread_key_delete(key) }
  }

  var pointer: UnsafeMutableRawPointer? {
    let stored = stored.load(ordering: .relaxed)
    return stored == 0 ? nil : pthread_getspecific(pthread_key_t(stored - 1))
  }

  /// False where memory is out.
  func set(_ pointer: UnsafeMutableRawPointer?) -> Bool {
    let stored = stored.load(ordering: .relaxed)
    return stored != 0 && pthread_setspecific(pthread_key_t(stored - 1), pointer) == 0
  }

  var isPrepared: Bool { stored.load(ordering: .relaxed) != 0 }
}
