internal import CGyre

extension EventLoop {
  /// A closure that has been handed to a loop: it can be asked what has become of it, and taken
  /// back.
  ///
  /// Dropping the object changes nothing, the closure is called all the same. What takes it back
  /// when it is dropped is an ``AutoCancel`` that holds it.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerformRef`.
  public final class Request: Sendable {
    private let owner: Reference

    init(owned reference: OpaquePointer) {
      owner = Reference(owned: reference)
    }
  }
}

extension EventLoop.Request {
  /// What has become of a closure.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerformState`.
  @frozen
  public enum State: Sendable {
    /// It waits for its call.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopPerformPending`.
    case pending
    /// It is being called.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopPerformRunning`.
    case running
    /// It has been called and has returned.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopPerformDone`.
    case ran
    /// It was taken back before its call, and is not called.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopPerformCancelled`.
    case cancelled
    /// The loop has ended with its thread before the call, which is not made.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopPerformLoopEnded`.
    case loopEnded

    init(_ state: GYRunLoopPerformState) {
      switch Int(state) {
      case Int(kGYRunLoopPerformPending): self = .pending
      case Int(kGYRunLoopPerformRunning): self = .running
      case Int(kGYRunLoopPerformDone): self = .ran
      case Int(kGYRunLoopPerformCancelled): self = .cancelled
      default: self = .loopEnded
      }
    }
  }

  /// What has become of the closure so far.
  ///
  /// - Threads: any; ``State/pending`` and ``State/running`` may be old when they arrive, the
  ///   others are final.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerformGetState`.
  public var state: State { State(GYRunLoopPerformGetState(owner.pointer)) }

  /// Takes the closure back if its call has not begun, and lets it go.
  ///
  /// - Returns: ``State/cancelled`` where it was taken back, now or earlier, and then it is not
  ///   called; otherwise ``State/running``, ``State/ran`` or ``State/loopEnded``.
  /// - Threads: any.
  /// - Blocking: never.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerformCancel`.
  @discardableResult
  public func cancel() -> State { State(GYRunLoopPerformCancel(owner.pointer)) }

  /// Takes the closure back as ``cancel()`` does, and waits for the end of a call that has begun.
  ///
  /// After it nothing of the closure runs on another thread, so what it uses may go.
  ///
  /// - Returns: ``State/cancelled``, ``State/ran`` or ``State/loopEnded``; in the closure itself,
  ///   which cannot wait for its own end, ``State/running``.
  /// - Threads: any. A closure that waits for the caller makes it wait for ever.
  /// - Blocking: while the closure is called on another thread.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerformCancelAndWait`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  @discardableResult
  public func cancelAndWait() -> State { State(GYRunLoopPerformCancelAndWait(owner.pointer)) }
}
