internal import CGyre

extension EventLoop {
  /// Runs the loop in the default mode up to a moment.
  ///
  /// Sources, timers and closures are served as they come. Other than Foundation's `run(until:)` it
  /// ends when it is stopped. As for ``run()``, a run inside another one has to name its mode.
  ///
  /// - Parameter deadline: A moment that has passed makes one pass that does not wait.
  /// - Returns: ``RunResult/finished`` at once where the mode is empty, and where the call was
  ///   refused; ``RunResult/stopped`` or ``RunResult/timedOut``.
  /// - Threads: the loop's own; on another one it does nothing and reports that.
  /// - Callout: everything that the mode holds.
  /// - Blocking: up to `deadline`.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopRunInModeNanoseconds`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  @discardableResult
  public func run(until deadline: SuspendingClock.Instant) -> RunResult {
    guard mayRunWithoutMode("EventLoop.run(until:)") else { return .finished }
    return run(mode: .default, until: deadline)
  }

  /// Runs the loop in the default mode up to a moment of the clock that goes on while the machine
  /// is suspended, as ``run(until:)-(SuspendingClock.Instant)`` does.
  ///
  /// A run is bounded by the clock that stands still meanwhile (R319): a suspension makes it end
  /// that much later. A timer at that moment that stops the loop does not.
  ///
  /// - Threads: the loop's own; on another one it does nothing and reports that.
  /// - Callout: everything that the mode holds.
  /// - Blocking: up to `deadline`.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopRunInModeNanoseconds`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  @discardableResult
  @_disfavoredOverload  // `.now` is the clock's that the loop counts by
  public func run(until deadline: ContinuousClock.Instant) -> RunResult {
    run(until: deadline.onSuspendingClock)
  }

  /// Runs the loop in one mode up to a moment of the clock that goes on while the machine is
  /// suspended, as ``run(mode:until:returnAfterSource:)-(_,SuspendingClock.Instant,_)`` does.
  ///
  /// A run is bounded by the clock that stands still meanwhile (R319): a suspension makes it end
  /// that much later. A timer at that moment that stops the loop does not.
  ///
  /// - Threads: the loop's own; on another one it does nothing and reports that.
  /// - Callout: everything that the mode holds.
  /// - Blocking: up to `deadline`.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopRunInModeNanoseconds`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  @discardableResult
  @_disfavoredOverload  // `.now` is the clock's that the loop counts by
  public func run(
    mode: Mode, until deadline: ContinuousClock.Instant, returnAfterSource: Bool = false
  ) -> RunResult {
    run(mode: mode, until: deadline.onSuspendingClock, returnAfterSource: returnAfterSource)
  }
}
