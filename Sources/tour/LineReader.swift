#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Cuts what a descriptor gives into lines.
struct LineReader {
  /// What one read gave.
  enum Outcome {
    /// Lines, perhaps none yet.
    case lines([String])
    /// The end, with the line that had no newline.
    case end([String])
  }

  /// A line that is longer counts as several.
  private static let longestLine = 64 * 1024

  private let descriptor: Int32
  private let name: String
  private var pending: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 16 * 1024)

  init(_ descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// Reads once. The caller knows that there is something to read.
  mutating func next() throws(SystemError) -> Outcome {
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0 {
      switch errno {
      case EAGAIN, EINTR: return .lines([])
      case EIO: return .end(takeRest())  // The other side of a terminal is gone.
      default: throw SystemError(name)
      }
    }
    if count == 0 { return .end(takeRest()) }
    pending += buffer[..<count]
    return .lines(takeLines())
  }

  private mutating func takeLines() -> [String] {
    let newline = UInt8(ascii: "\n")
    var lines: [String] = []
    var start = 0
    while let end = pending[start...].firstIndex(of: newline) {
      lines.append(String(decoding: pending[start..<end], as: UTF8.self))
      start = end + 1
    }
    pending.removeFirst(start)
    if pending.count > Self.longestLine { lines += takeRest() }
    return lines
  }

  private mutating func takeRest() -> [String] {
    if pending.isEmpty { return [] }
    defer { pending = [] }
    return [String(decoding: pending, as: UTF8.self)]
  }
}
