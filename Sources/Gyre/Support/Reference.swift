internal import CGyre

/// One reference to an object of the C library, given up with the last copy of this one.
///
/// Unchecked: the pointer does not change, and the count behind it is atomic.
final class Reference: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes over a reference that the caller owns.
  init(owned pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// Adds a reference to one that the caller only borrows.
  init(borrowed pointer: OpaquePointer) {
    GYRetain(UnsafeRawPointer(pointer))
    self.pointer = pointer
  }

  deinit {
    GYRelease(UnsafeRawPointer(pointer))
  }

  /// What a creating function gave, where NULL can only mean that memory is out.
  static func required(_ pointer: OpaquePointer?) -> Reference {
    guard let pointer else { fatalError("Gyre: no memory") }
    return Reference(owned: pointer)
  }
}
