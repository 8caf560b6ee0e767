internal import CGyre

extension EventLoop {
  /// Calls a closure at a moment, once or again and again.
  ///
  /// A timer does nothing until it is added to a mode. It is never early. A repeating timer keeps
  /// its grid: lateness does not add up, and firings that were missed are dropped, not made up for.
  /// While its closure is called a timer is not fired by nested runs.
  ///
  /// - Threads: made on the thread of the loop that it is for; its members may be used on any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerRef`.
  public final class Timer: Item, @unchecked Sendable {
    override class var kind: ItemKind { .timer }

    /// Makes a timer that fires once, and is invalid after that.
    ///
    /// - Parameters:
    ///   - delay: How long from now, by the clock that stands still while the machine is suspended.
    ///   - tolerance: By how much it may be late where that saves waking up.
    ///   - action: Called on the thread that makes the timer.
    /// - Threads: that of the loop that the timer is for.
    /// - Since: 0.1.
    /// - Stands on: `GYRunLoopTimerCreateAt`.
    public convenience init(
      after delay: Duration, tolerance: Duration = .zero, _ action: @escaping () -> Void
    ) {
      self.init(first: delay, interval: .zero, tolerance: tolerance, action)
    }

    /// Makes a timer that fires again and again.
    ///
    /// - Parameters:
    ///   - interval: From one firing to the next. Zero and less stand for 100 microseconds.
    ///   - delay: How long from now to the first firing; one interval where it is nil.
    ///   - tolerance: By how much it may be late where that saves waking up; at most half the
    ///     interval counts.
    ///   - action: Called on the thread that makes the timer.
    /// - Threads: that of the loop that the timer is for.
    /// - Since: 0.1.
    /// - Stands on: `GYRunLoopTimerCreateAt`.
    public convenience init(
      every interval: Duration, after delay: Duration? = nil, tolerance: Duration = .zero,
      _ action: @escaping () -> Void
    ) {
      let interval = interval > .zero ? interval : .microseconds(100)
      self.init(first: delay ?? interval, interval: interval, tolerance: tolerance, action)
    }

    private init(
      first delay: Duration, interval: Duration, tolerance: Duration,
      _ action: @escaping () -> Void
    ) {
      let loop = EventLoop.current
      var context = GYRunLoopTimerContext(
        version: 0, info: TimerCallback(loop: loop, action: action).retained(), retain: nil,
        release: { Callback.end($0) }, copyDescription: nil)
      let timer = GYRunLoopTimerCreateAt(
        Monotonic.nanoseconds(after: delay), interval.nanoseconds, 0,
        { _, info in Callback.call(info, as: TimerCallback.self) { $0.action() } }, &context)
      super.init(loop: loop, reference: timer)
      if tolerance > .zero { self.tolerance = tolerance }
    }
  }
}

private final class TimerCallback: Callback {
  let action: () -> Void

  init(loop: EventLoop, action: @escaping () -> Void) {
    self.action = action
    super.init(loop: loop)
  }
}

extension EventLoop.Timer {
  /// The moment of the next firing, nil where the timer is invalid. In the timer's own closure it
  /// is still the moment that is being served.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerGetNextFireAt`.
  public var nextFire: SuspendingClock.Instant? {
    isValid ? Monotonic.instant(of: GYRunLoopTimerGetNextFireAt(reference)) : nil
  }

  /// Moves the next firing; a sleeping loop takes notice. The grid of a repeating timer goes on
  /// from there. In the timer's own closure it takes the place of the firing that would come next.
  /// It does not revive a timer that fires once.
  ///
  /// - Parameter moment: One that has passed means now.
  /// - Threads: any.
  /// - Errors: an invalid timer is left as it is.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerSetNextFireAt`.
  public func reschedule(at moment: SuspendingClock.Instant) {
    GYRunLoopTimerSetNextFireAt(reference, Monotonic.nanoseconds(of: moment))
  }

  /// Moves the next firing to a length of time from now, as ``reschedule(at:)`` does.
  ///
  /// - Threads: any.
  /// - Errors: an invalid timer is left as it is.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerSetNextFireAt`.
  public func reschedule(after delay: Duration) {
    GYRunLoopTimerSetNextFireAt(reference, Monotonic.nanoseconds(after: delay))
  }

  /// By how much the timer may be late where that saves waking up. Less than zero counts as zero,
  /// and a repeating timer's is at most half its interval; reading gives what is in force.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerGetToleranceNanoseconds`, `GYRunLoopTimerSetToleranceNanoseconds`.
  public var tolerance: Duration {
    get { .nanoseconds(GYRunLoopTimerGetToleranceNanoseconds(reference)) }
    set { GYRunLoopTimerSetToleranceNanoseconds(reference, newValue.nanoseconds) }
  }

  /// From one firing to the next, nil where the timer fires once.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerGetIntervalNanoseconds`.
  public var interval: Duration? {
    let nanoseconds = GYRunLoopTimerGetIntervalNanoseconds(reference)
    return nanoseconds > 0 ? .nanoseconds(nanoseconds) : nil
  }
}
