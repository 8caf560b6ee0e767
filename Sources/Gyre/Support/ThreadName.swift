internal import CGyre

/// What a thread is shown as. The C library takes as much of a name as the kernel keeps.
struct ThreadName: Sendable {
  /// In bytes.
  private static let longest = 15

  let text: String

  init(_ name: String) {
    text = name
  }

  /// Of the threads that have one name between them: the number is there in any case.
  init(_ name: String, number: Int) {
    let ending = "-\(number)"
    text = Self.beginning(of: name, max(Self.longest - ending.utf8.count, 0)) + ending
  }

  /// Names the calling thread; one without a name keeps that of the thread that made it.
  func apply() {
    if !text.isEmpty { GYThreadSetName(text) }
  }

  /// The characters that fit into so many bytes.
  private static func beginning(of name: String, _ room: Int) -> String {
    var scalars = String.UnicodeScalarView()
    var length = 0
    for scalar in name.unicodeScalars {
      length += UTF8.width(scalar)
      // To the C library a name ends at a NUL.
      if length > room || scalar == "\0" { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }
}
