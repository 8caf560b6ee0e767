// What the scenes take from the system: threads, a pipe, the end of the process.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A thread of the system, without a loop until it asks for one.
struct SystemThread {
  private let thread: pthread_t

  init(_ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(Start(body))
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    if error != 0 { fatalError("no thread: \(String(cString: strerror(error)))") }
    self.thread = thread
  }

  func join() { pthread_join(thread, nil) }

  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}

/// A pipe whose ends are closed with the object.
final class Pipe: Sendable {
  let readEnd: Int32
  private let writeEnd: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) != 0 { fatalError("no pipe: \(String(cString: strerror(errno)))") }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  func write(_ text: String) { send(text, to: writeEnd) }

  /// What is in the pipe, up to 64 bytes.
  func read() -> String { receive(from: readEnd) }
}

private func send(_ text: String, to descriptor: Int32) {
  var text = text
  let count = text.withUTF8 { write(descriptor, $0.baseAddress, $0.count) }
  if count < 0 { fatalError("cannot write: \(String(cString: strerror(errno)))") }
}

private func receive(from descriptor: Int32) -> String {
  var bytes = [UInt8](repeating: 0, count: 64)
  let count = read(descriptor, &bytes, bytes.count)
  return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
}

func complain(_ line: String) { send(line + "\n", to: STDERR_FILENO) }

func endProcess(_ status: Int32) -> Never { exit(status) }
