// Bytes and names as the C library has them.

internal import CGyre

enum CData {
  static func makeName(_ name: String) -> Reference {
    .required(GYStringCreateWithCString(nil, name, GYStringEncoding(kGYStringEncodingUTF8)))
  }

  /// A copy; nil for none.
  static func bytes(of data: OpaquePointer?) -> [UInt8]? {
    guard let data else { return nil }
    return Array(UnsafeBufferPointer(start: GYDataGetBytePtr(data), count: GYDataGetLength(data)))
  }

  /// A reference that the caller owns; nil with `errno` where memory is out.
  static func make(_ bytes: [UInt8]) -> OpaquePointer? {
    bytes.withUnsafeBufferPointer { GYDataCreate(nil, $0.baseAddress, $0.count) }
  }
}
