// What the module takes from the C library of the system. No other file names it.

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

  // The events of epoll. The kernel gives them the bits of poll's, whose header is the one that Swift
  // imports.
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

  /// Whether reports of misuse end the process, as they do in the C library.
  static var isStrict: Bool {
    guard let value = getenv("GYRE_STRICT") else { return false }
    return strcmp(value, "1") == 0
  }

  static func endProcess() -> Never { abort() }

  /// Lets another thread go on that has only a few instructions left to do.
  static func giveWay() { sched_yield() }

  /// Writes to standard error what can be written without an error.
  static func writeToStandardError(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var start = 0
      while start < bytes.count {
        let count = write(STDERR_FILENO, bytes.baseAddress?.advanced(by: start), bytes.count - start)
        if count < 0 && errno == EINTR { continue }
        if count <= 0 { return }
        start += count
      }
    }
  }
}

/// A pointer that each thread has one of.
struct ThreadValue: Sendable {
  private let key: pthread_key_t

  /// - Parameter destroy: called with the value at the end of each thread that has one.
  init(destroy: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void) {
    var key = pthread_key_t()
    guard pthread_key_create(&key, destroy) == 0 else {
      fatalError("Gyre: no key for thread-specific data is left")
    }
    self.key = key
  }

  var pointer: UnsafeMutableRawPointer? { pthread_getspecific(key) }

  /// False where memory is out.
  func set(_ pointer: UnsafeMutableRawPointer?) -> Bool { pthread_setspecific(key, pointer) == 0 }
}
