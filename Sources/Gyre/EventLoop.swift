internal import CGyre

/// A run loop: it waits for descriptors, timers and other threads, and calls the closures that
/// belong to them, one after the other, on the thread that it belongs to.
///
/// Every thread has one, made when it is first asked for. A loop runs in one mode at a time and
/// serves the timers, sources and observers that have been added to that mode, and no others.
/// ``run(mode:for:returnAfterSource:)`` runs it for a while; ``perform(in:_:)-(EventLoop.Mode,_)``
/// hands it work from any thread.
///
/// The object stays valid when its thread ends: wake-ups and stops then go nowhere, and nothing can
/// be added any more.
///
/// - Threads: any, where a member does not say otherwise.
/// - Since: 0.1.
/// - Stands on: `GYRunLoopRef`; C code on the same thread uses the same loop.
///
/// Unchecked: the C loop has a lock of its own, and what is stored here does not change.
public final class EventLoop: @unchecked Sendable {
  /// The C loop. Nil in what a thread gets that is past the end of its loop; the C functions refuse
  /// it.
  let reference: OpaquePointer?
  let gate: StopGate?
  let leftovers = Leftovers()

  init(reference: OpaquePointer?) {
    self.reference = reference
    gate = reference.map { StopGate(loop: Reference(borrowed: $0)) }
  }
}

extension EventLoop {
  /// The calling thread's loop: the same object for the thread's whole life.
  ///
  /// A thread whose loop has been taken down already, in the last of its thread-specific
  /// destructors, gets one that is not alive.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopGetCurrent`.
  public static var current: EventLoop { ThreadLoop.current }

  /// The calling thread's loop if there is one; none is made.
  ///
  /// Nil where nobody has asked for it yet, and where it has ended with the thread.
  ///
  /// - Threads: any. The main thread's is there once any thread has asked for ``main``.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopGetCurrentIfMade`.
  public static var currentIfMade: EventLoop? {
    GYRunLoopGetCurrentIfMade() == nil ? nil : current
  }

  /// The loop of the process's first thread.
  ///
  /// While it runs in a common mode, `DispatchQueue.main` and the main actor's jobs run on it
  /// (<doc:MainQueue>).
  ///
  /// - Threads: any, also before the main thread has asked for its loop.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopGetMain`.
  public static var main: EventLoop { ThreadLoop.main }

  /// Whether this is the calling thread's loop.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopIsCurrent`.
  public var isCurrent: Bool {
    reference != nil && GYRunLoopIsCurrent(reference)
  }

  /// Whether the loop's thread is still there, so that work given to it can run.
  ///
  /// - Threads: any; true may be old when it arrives, false is final.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopIsAlive`.
  public var isAlive: Bool {
    reference != nil && GYRunLoopIsAlive(reference)
  }
}
