import Glibc

struct SpawnError: Error {
  let program: String
  let number: Int32
}

/// What a program is to find when it starts.
struct SpawnPlan: ~Copyable {
  private var actions = posix_spawn_file_actions_t()
  private var attributes = posix_spawnattr_t()
  private var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
  private static let newSession: Int32 = 0x80  // POSIX_SPAWN_SETSID
  /// The program's ends: of no use here once it has started.
  private var ends: [Int32] = []

  init() {
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
  }

  mutating func end() {
    for descriptor in ends { Glibc.close(descriptor) }
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }

  mutating func addPipe(from stream: Int32) -> Int32 {
    let (read, write) = makePipe()
    give(write, as: stream)
    return read
  }

  mutating func addPipe(to stream: Int32) -> Int32 {
    let (read, write) = makePipe()
    give(read, as: stream)
    return write
  }

  mutating func addBrokenPipe(as stream: Int32) {
    let (read, write) = makePipe()
    Glibc.close(read)
    give(write, as: stream)
  }

  mutating func open(_ path: String, as stream: Int32) {
    posix_spawn_file_actions_addopen(&actions, stream, path, O_RDONLY, 0)
  }

  mutating func close(_ stream: Int32) {
    posix_spawn_file_actions_addclose(&actions, stream)
  }

  /// The program leads a session, and the terminal is the session's: control-C is a signal there.
  mutating func addTerminal() -> Int32 {
    let terminal = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var number: Int32 = 0
    _ = ioctl(terminal, 0x4004_5431, &number)  // TIOCSPTLCK: unlocked
    _ = ioctl(terminal, 0x8004_5430, &number)  // TIOCGPTN
    let name = "/dev/pts/\(number)"
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, name, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
    flags |= Self.newSession
    return terminal
  }

  private mutating func give(_ descriptor: Int32, as stream: Int32) {
    posix_spawn_file_actions_adddup2(&actions, descriptor, stream)
    ends.append(descriptor)
  }

  mutating func start(
    _ arguments: [String], _ environment: [String]
  ) throws(SpawnError) -> pid_t {
    if flags & Self.newSession == 0 { flags |= POSIX_SPAWN_SETPGROUP }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var pid: pid_t = 0
    let error = withStrings(arguments) { arguments in
      withStrings(environment + inherited(without: environment)) { environment in
        arguments[0].map {
          posix_spawnp(&pid, $0, &actions, &attributes, arguments, environment)
        }
      }
    }
    if let error, error != 0 { throw SpawnError(program: arguments[0], number: error) }
    return pid
  }
}

/// Nothing else that this process starts gets the ends.
func makePipe() -> (read: Int32, write: Int32) {
  // Swift does not import the call.
  typealias Make = @convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32
  var ends: [Int32] = [0, 0]
  guard let make = dlsym(nil, "pipe2"), unsafeBitCast(make, to: Make.self)(&ends, O_CLOEXEC) == 0
  else { fatalError("no pipe") }
  return (ends[0], ends[1])
}

/// This process's environment, but for variables that are given otherwise.
private func inherited(without given: [String]) -> [String] {
  let names = Set(given.map { $0.prefix { $0 != "=" } })
  var all: [String] = []
  var next = environ
  while let entry = next.pointee {
    let text = String(cString: entry)
    if !names.contains(text.prefix { $0 != "=" }) { all.append(text) }
    next += 1
  }
  return all
}

private func withStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = strings.map { strdup($0) } + [nil]
  defer { for copy in copies { free(copy) } }
  return body(copies)
}
