internal import CGyre

extension EventLoop {
  /// Why a run ended.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopRunResult`.
  @frozen
  public enum RunResult: Sendable {
    /// The mode held nothing to wait for: no source, no timer, no closure.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopRunFinished`.
    case finished
    /// ``EventLoop/stop()`` or ``EventLoop/windDown()``.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopRunStopped`.
    case stopped
    /// The time was over.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopRunTimedOut`.
    case timedOut
    /// A source was performed, and the caller had asked to return then.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopRunHandledSource`.
    case handledSource

    init(_ result: GYRunLoopRunResult) {
      switch Int(result) {
      case Int(kGYRunLoopRunStopped): self = .stopped
      case Int(kGYRunLoopRunTimedOut): self = .timedOut
      case Int(kGYRunLoopRunHandledSource): self = .handledSource
      default: self = .finished
      }
    }
  }

  /// Runs the loop in the default mode until it is stopped or has nothing left to wait for.
  ///
  /// Other than Foundation's `run()`, it ends when it is stopped. A run inside another one has to
  /// name its mode: this form then returns at once, and the mistake is reported once in a process.
  ///
  /// - Returns: ``RunResult/stopped`` or ``RunResult/finished``, the latter also where it was
  ///   refused.
  /// - Threads: the loop's own; on another one it does nothing and reports that.
  /// - Callout: everything that the mode holds.
  /// - Blocking: until ``stop()``, ``windDown()`` or emptiness.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopRunInModeNanoseconds`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  @discardableResult
  public func run() -> RunResult {
    guard mayRunWithoutMode("EventLoop.run()") else { return .finished }
    return run(.default, nanoseconds: .max, returnAfterSource: false)
  }

  /// Runs the loop in one mode and tells why it ended.
  ///
  /// - Parameters:
  ///   - mode: An empty mode gives ``RunResult/finished`` at once. The common modes of the main
  ///     loop are never empty. The name that stands for the common modes gives
  ///     ``RunResult/finished``, and is reported once in a process.
  ///   - duration: How long the run may take as a whole, by the clock that stands still while the
  ///     machine is suspended. Zero and less make one pass that does not wait; nil sets no bound.
  ///   - returnAfterSource: Whether to return after the first source performed.
  /// - Threads: the loop's own; on another one it does nothing, gives ``RunResult/finished`` and
  ///   reports that.
  /// - Callout: everything that the mode holds.
  /// - Blocking: up to `duration`.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopRunInModeNanoseconds`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  @discardableResult
  public func run(
    mode: Mode, for duration: Duration? = nil, returnAfterSource: Bool = false
  ) -> RunResult {
    guard isOwn("EventLoop.run(mode:for:)") else { return .finished }
    return run(
      mode, nanoseconds: duration?.nanoseconds ?? .max, returnAfterSource: returnAfterSource)
  }

  /// Runs the loop in one mode up to a moment and tells why it ended.
  ///
  /// - Parameters:
  ///   - mode: As in ``run(mode:for:returnAfterSource:)``.
  ///   - deadline: A moment that has passed makes one pass that does not wait.
  ///   - returnAfterSource: Whether to return after the first source performed.
  /// - Threads: the loop's own; on another one it does nothing, gives ``RunResult/finished`` and
  ///   reports that.
  /// - Callout: everything that the mode holds.
  /// - Blocking: up to `deadline`.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopRunInModeNanoseconds`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  @discardableResult
  public func run(
    mode: Mode, until deadline: SuspendingClock.Instant, returnAfterSource: Bool = false
  ) -> RunResult {
    guard isOwn("EventLoop.run(mode:until:)") else { return .finished }
    // The last number there is would mean no bound.
    let rest = min(EventLoop.now.duration(to: deadline).nanoseconds, .max - 1)
    return run(mode, nanoseconds: rest, returnAfterSource: returnAfterSource)
  }

  private static let nestedRun = ReportOnce()

  func mayRunWithoutMode(_ call: String) -> Bool {
    guard isOwn(call) else { return false }
    if currentMode == nil { return true }
    Self.nestedRun.make(call, "a run inside another one has to name its mode", rule: "R42")
    return false
  }

  func isOwn(_ call: String) -> Bool {
    if isCurrent { return true }
    report(call, "only the loop's own thread can run it", rule: "R180")
    return false
  }

  private func run(_ mode: Mode, nanoseconds: Int64, returnAfterSource: Bool) -> RunResult {
    let result = gate?.run(in: mode.handle) {
      GYRunLoopRunInModeNanoseconds(mode.handle, nanoseconds, returnAfterSource ? 1 : 0)
    }
    return result.map(RunResult.init) ?? .finished
  }
}

extension EventLoop {
  /// Ends the innermost run in progress, or, where the loop is not running, the next one as soon as
  /// it begins.
  ///
  /// The run finishes its iteration first. Several stops of one run are one. A stop that comes too
  /// late to change the result of a run, such as one from an observer of its exit, is used up by
  /// it.
  ///
  /// - Threads: any. Async-signal-safe for a loop that is held elsewhere, such as in a global: it
  ///   takes no lock, allocates nothing and keeps `errno`.
  /// - Blocking: never.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopStop`, which drops the stop of a loop that is not running.
  public func stop() {
    gate?.stop()
  }

  /// Ends the runs of the loop for good: the one in progress, those around it and all that would
  /// begin later. For the end of a thread that has nothing to do but run its loop, whether or not
  /// it has come to run it yet.
  ///
  /// A run in progress finishes its iteration, as after ``stop()``, and the run around it then its
  /// own; a closure that is handed over meanwhile may still be called there. A run that is called
  /// afterwards gives ``RunResult/stopped`` at once and calls nothing. Closures that wait then do
  /// so until the thread ends. It cannot be taken back; once more changes nothing.
  ///
  /// - Threads: any. Async-signal-safe, as ``stop()`` is.
  /// - Blocking: never.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopWindDown`.
  public func windDown() {
    if reference != nil { GYRunLoopWindDown(reference) }
  }

  /// Whether ``windDown()`` has ended the runs of the loop for good.
  ///
  /// - Threads: any; true is final.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopIsWindingDown`.
  public var isWindingDown: Bool {
    reference != nil && GYRunLoopIsWindingDown(reference)
  }

  /// Makes a sleeping loop go on with its iteration. Wake-ups before it gets going are one; a loop
  /// that is awake needs none, one that is not running ignores it.
  ///
  /// - Threads: any. Async-signal-safe, as ``stop()`` is.
  /// - Blocking: never.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopWakeUp`.
  public func wakeUp() {
    if reference != nil { GYRunLoopWakeUp(reference) }
  }

  /// Whether the loop is asleep at this moment.
  ///
  /// - Threads: any; takes no lock.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopIsWaiting`.
  public var isWaiting: Bool {
    reference != nil && GYRunLoopIsWaiting(reference) != 0
  }

  /// The mode of the innermost run in progress, nil while the loop is not running.
  ///
  /// - Threads: any; the answer may be old when it arrives on another thread.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopCopyCurrentMode`.
  public var currentMode: Mode? {
    reference.flatMap { GYRunLoopCopyCurrentMode($0) }.map { Mode(owned: $0) }
  }

  /// Makes a mode one of the common modes for good. All items of the common modes join it.
  ///
  /// - Threads: any.
  /// - Callout: `schedule` of the sources that join.
  /// - Errors: ``GyreError/loopEnded``; what the system refuses, and then nothing has changed.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopAddCommonMode`.
  public func addCommonMode(_ mode: Mode) throws(GyreError) {
    guard isAlive else { throw .loopEnded }
    try GyreError.check { GYRunLoopAddCommonMode(reference, mode.handle) }
  }
}
