import Glibc

/// Both ends of a pipe, closed with the object.
///
/// Unchecked: the write end is closed by the thread that uses it.
final class Pipe: @unchecked Sendable {
  let readEnd: Int32
  private(set) var writeEnd: Int32

  init() { (readEnd, writeEnd) = makePipe() }

  deinit {
    close(readEnd)
    closeWriteEnd()
  }

  func closeWriteEnd() {
    if writeEnd >= 0 { close(writeEnd) }
    writeEnd = -1
  }

  func write(_ text: String) {
    var text = text
    text.withUTF8 { _ = Glibc.write(writeEnd, $0.baseAddress, $0.count) }
  }

  func read(atMost count: Int = 100) -> String {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = Glibc.read(readEnd, &bytes, count)
    return String(decoding: bytes.prefix(max(got, 0)), as: UTF8.self)
  }
}
