internal import CGyre
import Synchronization

/// What the context of a C item points to: the item's closures, in one object for the item's whole
/// life. A call borrows it, and so allocates nothing.
///
/// The context owns a reference. The C library gives it up on whichever thread invalidates the item
/// or drops the last reference to it, which may be while the loop's thread is in the call, or about
/// to begin it. Therefore references are given up on the loop's thread alone, and after the call.
class Callback {
  let loop: EventLoop
  /// Calls in progress: more than one where a nested run calls the item again. The loop's thread.
  private var calls = 0
  /// References to be given up when the last call returns. The loop's thread.
  private var references = 0
  /// Whether the closures have been let go. When the loop's thread has ended, several threads may
  /// come to do it at once. Relaxed: only the flag itself is agreed upon.
  private let hasLetGo = Atomic<Bool>(false)

  init(loop: EventLoop) {
    self.loop = loop
  }

  /// Lets go of the closures that are called on the loop's thread alone. They will not be called
  /// any more. Called once, on the loop's thread, outside of calls, or on any once that has ended.
  func letGo() {}

  /// For a context: a pointer that owns a reference.
  final func retained() -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(self).toOpaque()
  }

  /// The context of a source that the C library makes of something else, which may be refused: it
  /// owns a reference from the moment on at which it is copied.
  final func context() -> GYCallBackContext {
    var context = GYCallBackContext()
    context.info = Unmanaged.passUnretained(self).toOpaque()
    context.retain = { info in
      if let info { _ = Unmanaged<Callback>.fromOpaque(info).retain() }
      return info
    }
    context.release = { Callback.end($0) }
    return context
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
      return callback.references > 0 && callback.calls == 0
    }
    if isOver { release(Unmanaged<Callback>.fromOpaque(info)) }
  }

  /// Asks the object something that is the same on every thread.
  @inline(__always)
  static func ask<Kind: Callback, Answer>(
    _ info: UnsafeMutableRawPointer, as: Kind.Type, _ body: (Kind) -> Answer
  ) -> Answer {
    Unmanaged<Kind>.fromOpaque(info)._withUnsafeGuaranteedRef(body)
  }

  /// The release callback of a context. Any thread.
  static func end(_ info: UnsafeRawPointer?) {
    guard let info else { return }
    let callback = Unmanaged<Callback>.fromOpaque(info)
    let loop = callback._withUnsafeGuaranteedRef { $0.loop }
    if loop.isCurrent { return endHere(callback) }
    loop.handBack(
      UnsafeMutableRawPointer(mutating: info),
      { info in if let info { Callback.endHere(Unmanaged.fromOpaque(info)) } },
      // With its thread every call has ended.
      afterwards: { info in if let info { Callback.release(.fromOpaque(info), references: 1) } })
  }

  private static func endHere(_ callback: Unmanaged<Callback>) {
    let isCalled = callback._withUnsafeGuaranteedRef { callback in
      callback.references += 1
      return callback.calls > 0
    }
    if !isCalled { release(callback) }
  }

  private static func release(_ callback: Unmanaged<Callback>) {
    let references = callback._withUnsafeGuaranteedRef { callback in
      let references = callback.references
      callback.references = 0
      return references
    }
    release(callback, references: references)
  }

  private static func release(_ callback: Unmanaged<Callback>, references: Int) {
    callback._withUnsafeGuaranteedRef { callback in
      if !callback.hasLetGo.exchange(true, ordering: .relaxed) { callback.letGo() }
    }
    for _ in 0..<references { callback.release() }
  }
}
