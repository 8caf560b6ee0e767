internal import CGyre

/// What the context of a C item points to: the item's closures, in one object for the item's whole
/// life. A call borrows it, and so allocates and counts nothing.
///
/// The context owns a reference. The C library gives it up on whichever thread invalidates the item or
/// drops the last reference to it, which may be while the loop's thread is in the call, or about to
/// begin it. Therefore it is given up on the loop's thread alone, and after the call.
class Callback {
  let loop: EventLoop
  /// Calls in progress: more than one where a nested run calls the item again. The loop's thread.
  private var calls = 0
  /// The context's reference is to be given up when the last call returns. The loop's thread.
  private var isOver = false

  init(loop: EventLoop) {
    self.loop = loop
  }

  /// For a context: a pointer that owns a reference.
  final func retained() -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(self).toOpaque()
  }

  /// Calls with the object that a context points to. The loop's thread.
  @inline(__always)
  static func call<Kind: Callback>(
    _ info: UnsafeMutableRawPointer?, as: Kind.Type, _ body: (Kind) -> Void
  ) {
    guard let info else { return }
    let callback = Unmanaged<Kind>.fromOpaque(info)
    let isOver = callback._withUnsafeGuaranteedRef { callback in
      callback.calls += 1
      body(callback)
      callback.calls -= 1
      return callback.isOver && callback.calls == 0
    }
    if isOver { callback.release() }
  }

  /// Asks the object something that is the same on every thread.
  @inline(__always)
  static func ask<Kind: Callback, Answer>(
    _ info: UnsafeMutableRawPointer, as: Kind.Type, _ body: (Kind) -> Answer
  ) -> Answer {
    Unmanaged<Kind>.fromOpaque(info)._withUnsafeGuaranteedRef(body)
  }

  /// The release callback of a context. Any thread.
  static func release(_ info: UnsafeRawPointer?) {
    guard let info else { return }
    let callback = Unmanaged<Callback>.fromOpaque(info)
    let loop = callback._withUnsafeGuaranteedRef { $0.loop }
    if loop.isCurrent { return releaseHere(callback) }
    if !loop.isAlive { return callback.release() }
    let isTaken = GYRunLoopPerform(
      loop.reference, UnsafeRawPointer(kGYRunLoopCommonModes), { _ in },
      UnsafeMutableRawPointer(mutating: info),
      { info in
        guard let info else { return }
        Callback.releaseHere(Unmanaged.fromOpaque(info))
      })
    // With its thread every call has ended. For want of memory the object is rather kept than taken from
    // under a call.
    if !isTaken && !loop.isAlive { callback.release() }
  }

  private static func releaseHere(_ callback: Unmanaged<Callback>) {
    let isCalled = callback._withUnsafeGuaranteedRef { callback in
      callback.isOver = true
      return callback.calls > 0
    }
    if !isCalled { callback.release() }
  }
}
