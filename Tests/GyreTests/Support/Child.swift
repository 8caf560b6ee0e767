import Glibc

/// Another program, started by posix_spawn, with pipes to its standard streams.
///
/// It is for one thread.
final class Child {
  /// What a program is given as standard input.
  enum Input {
    /// What `write` sends, until `closeInput`.
    case pipe
    /// A file.
    case file(String)
    /// No descriptor at all.
    case closed
  }

  /// Where standard output goes.
  enum Output {
    /// To `output`.
    case pipe
    /// To a pipe that nobody reads.
    case broken
    /// No descriptor at all.
    case closed
    /// Output, input and errors are a terminal of the program's own.
    case terminal
  }

  private(set) var output = ""
  private(set) var errors = ""
  private let pid: pid_t
  private var status: Int32?
  private var input: Int32 = -1
  private var streams: [Int32] = [-1, -1]

  init(
    _ path: String, _ arguments: [String] = [], input: Input = .file("/dev/null"),
    output: Output = .pipe, environment: [String] = []
  ) throws(SpawnError) {
    var plan = SpawnPlan()
    defer { plan.end() }
    if case .terminal = output {
      let terminal = plan.addTerminal()
      self.input = terminal
      streams[0] = terminal
    } else {
      switch input {
      case .pipe: self.input = plan.addPipe(to: STDIN_FILENO)
      case .file(let path): plan.open(path, as: STDIN_FILENO)
      case .closed: plan.close(STDIN_FILENO)
      }
      switch output {
      case .broken: plan.addBrokenPipe(as: STDOUT_FILENO)
      case .closed: plan.close(STDOUT_FILENO)
      default: streams[0] = plan.addPipe(from: STDOUT_FILENO)
      }
      streams[1] = plan.addPipe(from: STDERR_FILENO)
    }
    pid = try plan.start([path] + arguments, environment)
  }

  deinit {
    if status == nil {
      kill(-pid, SIGKILL)
      _ = wait(flags: 0)
    }
    for descriptor in Set([input] + streams) where descriptor >= 0 { close(descriptor) }
  }

  func write(_ text: String) {
    var text = text
    text.withUTF8 { _ = Glibc.write(input, $0.baseAddress, $0.count) }
  }

  func closeInput() {
    close(input)
    input = -1
  }

  func send(_ signal: Int32) { kill(pid, signal) }

  /// Reads until the output has the text: false when it ends or the deadline passes before that.
  func waitForOutput(_ text: String, seconds: Int = 20) -> Bool {
    let deadline = SuspendingClock.now + .seconds(seconds)
    while !output.contains(text) {
      if !hasOpenStream || SuspendingClock.now > deadline { return false }
      readSome()
    }
    return true
  }

  /// Reads to the end of the program.
  ///
  /// - Returns: how it ended, in words: "exit 0", "signal 9", "too late".
  func finish(seconds: Int = 60) -> String {
    let deadline = SuspendingClock.now + .seconds(seconds)
    while !wait(flags: WNOHANG) {
      if SuspendingClock.now > deadline {
        kill(-pid, SIGKILL)
        _ = wait(flags: 0)
        readRest()
        return "too late"
      }
      readSome()
    }
    readRest()
    return words(forStatus: status ?? 0)
  }

  /// Whether the program has ended.
  private func wait(flags: Int32) -> Bool {
    if status != nil { return true }
    var word: Int32 = 0
    var result: pid_t
    repeat { result = waitpid(pid, &word, flags) } while result < 0 && errno == EINTR
    if result == pid { status = word }
    return result != 0
  }

  private var hasOpenStream: Bool { streams.contains { $0 >= 0 } }

  /// What a program leaves running may keep its pipes open: only what is there is read.
  private func readRest() {
    while readSome(milliseconds: 0) {}
  }

  /// Waits a little for something to read; true if there was something.
  @discardableResult
  private func readSome(milliseconds: Int32 = 20) -> Bool {
    var polled = streams.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return false }
    for (index, stream) in polled.enumerated() where stream.revents != 0 { read(index) }
    return true
  }

  private func read(_ index: Int) {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let count = Glibc.read(streams[index], &buffer, buffer.count)
    if count > 0 {
      let text = String(decoding: buffer[..<count], as: UTF8.self)
      if index == 0 { output += text } else { errors += text }
    } else if count == 0 || errno != EINTR {
      if streams[index] != input { close(streams[index]) }
      streams[index] = -1
    }
  }
}

extension Child {
  /// Runs a program to its end.
  static func run(
    _ path: String, _ arguments: [String] = [], input: Input = .file("/dev/null"),
    output: Output = .pipe, environment: [String] = [], seconds: Int = 60
  ) throws(SpawnError) -> (ending: String, output: String, errors: String) {
    let child = try Child(
      path, arguments, input: input, output: output, environment: environment)
    let ending = child.finish(seconds: seconds)
    return (ending, child.output, child.errors)
  }
}
