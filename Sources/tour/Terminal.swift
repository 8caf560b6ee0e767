// Standard input, output and error, by way of the system's calls.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Why an operation of the system did not work.
struct SystemError: Error {
  let what: String
  let number: Int32

  /// What `errno` says of `what`.
  init(_ what: String) {
    self.what = what
    number = errno
  }

  var message: String { "\(what): \(String(cString: strerror(number)))" }
}

enum Terminal {
  /// Makes writing to a pipe that nobody reads an error in place of a signal, and closed
  /// descriptors such that no other file can take their numbers.
  ///
  /// - Parameter needsInput: Whether standard input has to be open.
  static func prepare(needsInput: Bool) throws(SystemError) {
    signal(SIGPIPE, SIG_IGN)
    let isInputOpen = fcntl(STDIN_FILENO, F_GETFD) >= 0
    let isOutputOpen = fcntl(STDOUT_FILENO, F_GETFD) >= 0
    while case let filler = open("/dev/null", O_RDWR), filler >= 0 {
      if filler > STDERR_FILENO {
        close(filler)
        break
      }
    }
    errno = EBADF
    if !isOutputOpen { throw SystemError("standard output") }
    if needsInput && !isInputOpen { throw SystemError("standard input") }
  }

  static func openFile(_ path: String) throws(SystemError) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw SystemError(path) }
    return descriptor
  }

  static let standardInput = STDIN_FILENO

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Writes a line to standard output.
  static func print(_ line: String) throws(SystemError) {
    guard send(line + "\n", to: STDOUT_FILENO) else { throw SystemError("standard output") }
  }

  /// Writes a line to standard error. Nobody is left to be told where that does not work.
  static func complain(_ line: String) {
    _ = send("tour: \(line)\n", to: STDERR_FILENO)
  }

  /// False with `errno`.
  private static func send(_ text: String, to descriptor: Int32) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var start = 0
      while start < bytes.count {
        let count = write(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
        if count < 0 && errno == EAGAIN {
          var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&room, 1, -1)
        } else if count < 0 && errno != EINTR {
          return false
        }
        start += max(count, 0)
      }
      return true
    }
  }

  static func end(_ status: Int32) -> Never { exit(status) }
}
