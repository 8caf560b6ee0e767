internal import CGyre

extension EventLoop {
  /// The modes that exist in the loop, in no particular order: the default mode, and those that
  /// something has been added or handed to. To run in a mode makes none.
  ///
  /// - Threads: any; the answer may be old when it arrives on another thread.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopCopyAllModes`.
  public var modes: [Mode] {
    guard let reference, let names = GYRunLoopCopyAllModes(reference) else { return [] }
    defer { GYRelease(UnsafeRawPointer(names)) }
    return (0..<GYArrayGetCount(names)).compactMap { index in
      GYArrayGetValueAtIndex(names, index).map { Mode(borrowed: OpaquePointer($0)) }
    }
  }

  /// The moment at which the earliest timer of a mode is due; nil where it has none.
  ///
  /// For a program that waits by means of its own: nothing is run.
  ///
  /// - Threads: any; the answer may be old when it arrives on another thread.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopGetNextTimerFireAt`.
  public func nextDeadline(in mode: Mode) -> SuspendingClock.Instant? {
    guard reference != nil else { return nil }
    return Monotonic.instantIfEver(of: GYRunLoopGetNextTimerFireAt(reference, mode.handle))
  }

  /// How long a loop could wait in a mode.
  ///
  /// - Since: 0.1.
  public enum Limit: Hashable, Sendable {
    /// The mode is empty: there is nothing to wait for.
    ///
    /// - Since: 0.1.
    case empty

    /// Until then, when the earliest timer is due.
    ///
    /// - Since: 0.1.
    case until(SuspendingClock.Instant)

    /// There is something to wait for, and no timer among it.
    ///
    /// - Since: 0.1.
    case unlimited
  }

  /// Makes one pass in a mode that does not wait, and tells how long the next one could.
  ///
  /// - Threads: the loop's own; on another one it does nothing, gives ``Limit/empty`` and reports
  ///   that.
  /// - Callout: everything that the mode holds.
  /// - Blocking: never.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopRunInModeNanoseconds`, `GYRunLoopIsModeEmpty`,
  ///   `GYRunLoopGetNextTimerFireAt`.
  @available(*, noasync, message: "it runs what is isolated to the loop's thread")
  @discardableResult
  public func limitDate(in mode: Mode) -> Limit {
    guard isOwn("EventLoop.limitDate(in:)") else { return .empty }
    // Without the gate: a stop that waits is for a run, and this pass is none.
    _ = GYRunLoopRunInModeNanoseconds(mode.handle, 0, 1)
    if GYRunLoopIsModeEmpty(mode.handle) { return .empty }
    return nextDeadline(in: mode).map(Limit.until) ?? .unlimited
  }
}
