extension EventLoop {
  /// Runs the loop in one mode until a source has been performed: for programs that have a loop of
  /// their own around it.
  ///
  ///     while !isDone && loop.runOnce(mode: .default) != .finished {}
  ///
  /// Timers fire and closures run meanwhile, and do not end it.
  ///
  /// - Parameters:
  ///   - mode: As in ``run(mode:for:returnAfterSource:)``.
  ///   - duration: How long it may take as a whole. Zero and less make one pass that does not wait;
  ///     nil sets no bound.
  /// - Returns: why it ended; ``RunResult/handledSource`` for a source.
  /// - Threads: the loop's own; on another one it does nothing, gives ``RunResult/finished`` and
  ///   reports that.
  /// - Callout: everything that the mode holds.
  /// - Blocking: up to `duration`.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopRunInModeNanoseconds`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  @discardableResult
  public func runOnce(mode: Mode, for duration: Duration? = nil) -> RunResult {
    guard isOwn("EventLoop.runOnce(mode:for:)") else { return .finished }
    return run(mode: mode, for: duration, returnAfterSource: true)
  }

  /// Runs the loop in one mode until a source has been performed or a moment has come, as
  /// ``runOnce(mode:for:)`` does.
  ///
  /// - Threads: the loop's own; on another one it does nothing, gives ``RunResult/finished`` and
  ///   reports that.
  /// - Callout: everything that the mode holds.
  /// - Blocking: up to `deadline`; a moment that has passed makes one pass that does not wait.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopRunInModeNanoseconds`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  @discardableResult
  public func runOnce(mode: Mode, until deadline: SuspendingClock.Instant) -> RunResult {
    guard isOwn("EventLoop.runOnce(mode:until:)") else { return .finished }
    return run(mode: mode, until: deadline, returnAfterSource: true)
  }

  /// Runs the loop in one mode until a source has been performed or a moment has come, by the clock
  /// that goes on while the machine is suspended, as ``runOnce(mode:for:)`` does.
  ///
  /// - Threads: the loop's own; on another one it does nothing, gives ``RunResult/finished`` and
  ///   reports that.
  /// - Callout: everything that the mode holds.
  /// - Blocking: up to `deadline`; a moment that has passed makes one pass that does not wait.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopRunInModeNanoseconds`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  @discardableResult
  @_disfavoredOverload  // `.now` is the clock's that the loop counts by
  public func runOnce(mode: Mode, until deadline: ContinuousClock.Instant) -> RunResult {
    runOnce(mode: mode, until: deadline.onSuspendingClock)
  }
}
