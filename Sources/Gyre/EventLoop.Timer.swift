internal import CGyre

extension EventLoop {
  /// Calls a closure at a moment, once or again and again.
  ///
  /// A timer does nothing until it is added to a mode. It is never early. A repeating timer keeps
  /// its grid: lateness does not add up, and firings that were missed are dropped, not made up for,
  /// unless ``overrun`` says otherwise. While its closure is called a timer is not fired by nested
  /// runs.
  ///
  /// ``EventLoop/schedule(after:tolerance:in:_:)-(_,_,EventLoop.Mode,_)`` and its sisters make one
  /// and add it.
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
    /// - Stands on: `GYRunLoopTimerCreateAfter`.
    public convenience init(
      after delay: Duration, tolerance: Duration = .zero, _ action: @escaping () -> Void
    ) {
      self.init(for: .current, Schedule(after: delay, tolerance: tolerance), action)
    }

    /// Makes a timer that fires once, at a moment, and is invalid after that.
    ///
    /// - Parameters:
    ///   - moment: One that has passed means now.
    ///   - tolerance: By how much it may be late where that saves waking up.
    ///   - action: Called on the thread that makes the timer.
    /// - Threads: that of the loop that the timer is for.
    /// - Since: 0.1.
    /// - Stands on: `GYRunLoopTimerCreateAt`.
    public convenience init(
      at moment: SuspendingClock.Instant, tolerance: Duration = .zero,
      _ action: @escaping () -> Void
    ) {
      let first = Monotonic.nanoseconds(of: moment)
      self.init(for: .current, Schedule(first: first, tolerance: tolerance), action)
    }

    /// Makes a timer that fires once, at a moment of the clock that goes on while the machine is
    /// suspended, and is invalid after that.
    ///
    /// If the machine is suspended when the moment comes, the timer fires when it goes on. It wakes
    /// no machine.
    ///
    /// - Parameters:
    ///   - moment: One that has passed means now.
    ///   - tolerance: By how much it may be late where that saves waking up.
    ///   - action: Called on the thread that makes the timer.
    /// - Threads: that of the loop that the timer is for.
    /// - Since: 0.1.
    /// - Stands on: `GYRunLoopTimerCreateAt`, `GYRunLoopTimerSetClock`.
    @_disfavoredOverload
    public convenience init(
      at moment: ContinuousClock.Instant, tolerance: Duration = .zero,
      _ action: @escaping () -> Void
    ) {
      // Disfavoured, so that a plain `.now` is one of the clock that loops wait by.
      let first = Monotonic.nanoseconds(of: moment)
      self.init(for: .current, Schedule(first: first, tolerance: tolerance), action)
      if !goes(by: kGYTimerBoot) { fatalError("Gyre: no memory") }
    }

    /// Makes a timer that fires again and again.
    ///
    /// - Parameters:
    ///   - interval: From one firing to the next. Zero and less stand for 100 microseconds.
    ///   - delay: How long from now to the first firing; one interval where it is nil.
    ///   - tolerance: By how much it may be late where that saves waking up; at most half the
    ///     interval counts.
    ///   - overrun: What becomes of firings that were missed.
    ///   - action: Called on the thread that makes the timer.
    /// - Threads: that of the loop that the timer is for.
    /// - Since: 0.1.
    /// - Stands on: `GYRunLoopTimerCreateAfter`.
    public convenience init(
      every interval: Duration, after delay: Duration? = nil, tolerance: Duration = .zero,
      overrun: Overrun = .skip, _ action: @escaping () -> Void
    ) {
      let schedule = Schedule(
        every: interval, after: delay, tolerance: tolerance, overrun: overrun)
      self.init(for: .current, schedule, action)
    }

    /// - Parameter action: one that may be called on the loop's thread: made there, or `Sendable`.
    convenience init(for loop: EventLoop, _ schedule: Schedule, _ action: @escaping () -> Void) {
      self.init(schedule, TimerCallback(loop: loop, action: action))
    }

    init(_ schedule: Schedule, _ callback: TimerCallback) {
      var context = GYRunLoopTimerContext(
        version: 0, info: callback.retained(), retain: nil, release: { Callback.end($0) },
        copyDescription: nil)
      let timer = schedule.make(&context) { _, info in
        Callback.call(info, as: TimerCallback.self) { $0.action() }
      }
      super.init(loop: callback.loop, reference: timer)
      if schedule.tolerance > .zero { tolerance = schedule.tolerance }
      if schedule.overrun != .skip { overrun = schedule.overrun }
    }
  }
}

extension EventLoop.Timer {
  /// When a timer fires: what it is made with.
  struct Schedule {
    /// In nanoseconds: a moment of the loop's clock, or a length of time, of which nothing is lost
    /// between a look at the clock and the timer.
    enum Start {
      case at(Int64)
      case after(Int64)
    }

    let first: Start
    /// Nanoseconds; 0 where it fires once.
    var interval: Int64 = 0
    var tolerance = Duration.zero
    var overrun = Overrun.skip

    init(first: Int64, tolerance: Duration) {
      self.first = .at(first)
      self.tolerance = tolerance
    }

    init(after delay: Duration, tolerance: Duration) {
      self.first = .after(delay.nanoseconds)
      self.tolerance = tolerance
    }

    init(every interval: Duration, after delay: Duration?, tolerance: Duration, overrun: Overrun) {
      let interval = interval > .zero ? interval : .microseconds(100)
      self.init(after: delay ?? interval, tolerance: tolerance)
      self.interval = interval.nanoseconds
      self.overrun = overrun
    }

    fileprivate func make(
      _ context: inout GYRunLoopTimerContext, _ callout: GYRunLoopTimerCallBack
    ) -> OpaquePointer? {
      switch first {
      case .at(let moment): GYRunLoopTimerCreateAt(moment, interval, 0, callout, &context)
      case .after(let delay): GYRunLoopTimerCreateAfter(delay, interval, 0, callout, &context)
      }
    }
  }

  /// False where memory is out or, for a timer that is in a loop, descriptors are.
  @discardableResult
  func goes(by clock: Int, told: GYRunLoopTimerClockWasSet? = nil) -> Bool {
    GYRunLoopTimerGetClock(reference) == clock
      || GYRunLoopTimerSetClock(reference, GYRunLoopTimerClock(clock), told) != 0
  }
}

final class TimerCallback: Callback {
  let action: () -> Void
  /// Set before the timer is handed out.
  var clockWasSet: ((Duration) -> Void)?

  init(loop: EventLoop, action: @escaping () -> Void) {
    self.action = action
    super.init(loop: loop)
  }
}

extension EventLoop.Timer {
  /// The moment of the next firing, nil where there is none to come. In the timer's own closure it
  /// is still the moment that is being served.
  ///
  /// It is told by the clock of the calling thread's loop, ``EventLoop/now``, whichever clock the
  /// timer goes by.
  ///
  /// Setting it is ``reschedule(at:)-(SuspendingClock.Instant)``; nil puts the timer off until it
  /// is moved again. It stays in its modes, which are not empty for it.
  ///
  /// - Threads: any.
  /// - Errors: an invalid timer is left as it is, and has none.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerGetNextFireAt`, `GYRunLoopTimerSetNextFireAt`.
  public var nextFire: SuspendingClock.Instant? {
    get { Monotonic.instantIfEver(of: GYRunLoopTimerGetNextFireAt(reference)) }
    set {
      guard let newValue else { return GYRunLoopTimerSetNextFireAt(reference, Monotonic.never) }
      reschedule(at: newValue)
    }
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
    goes(by: kGYTimerMonotonic)
    GYRunLoopTimerSetNextFireAt(reference, Monotonic.nanoseconds(of: moment))
  }

  /// Moves the next firing to a moment of the clock that goes on while the machine is suspended.
  /// From now on the timer goes by that one.
  ///
  /// - Parameter moment: One that has passed means now.
  /// - Threads: any.
  /// - Errors: an invalid timer is left as it is. Where the system refuses what the timer's loop
  ///   needs for that clock, the timer goes by the one from before: a suspension makes it late.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerSetClock`, `GYRunLoopTimerSetNextFireAt`.
  @_disfavoredOverload
  public func reschedule(at moment: ContinuousClock.Instant) {
    goes(by: kGYTimerBoot)
    GYRunLoopTimerSetNextFireAt(reference, Monotonic.nanoseconds(of: moment))
  }

  /// Moves the next firing to a length of time from now, as
  /// ``reschedule(at:)-(SuspendingClock.Instant)`` does. The timer goes by the clock from before.
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

extension EventLoop.Timer {
  /// What becomes of the firings that a repeating timer has missed: its closure took longer than
  /// the interval, its loop was busy or in other modes, or the process did not run.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerOverrunPolicy`.
  public enum Overrun: Hashable, Sendable {
    /// They are dropped, and the grid is kept.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYTimerSkip`.
    case skip
    /// There is no grid: one interval lies between the end of a call and the next firing.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYTimerFromEnd`.
    case fromEnd
    /// Of those that were missed the latest, up to a limit, are made up for, each in an iteration
    /// of its own; the grid is kept. A limit of zero or less is what ``skip`` is.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYTimerCatchUp`.
    case catchUp(limit: Int)
  }

  /// What becomes of missed firings; it counts from the next time that a call returns. Reading
  /// gives a limit of less than zero as zero.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerGetOverrunPolicy`, `GYRunLoopTimerSetOverrunPolicy`.
  public var overrun: Overrun {
    get {
      var limit = 0
      switch Int(GYRunLoopTimerGetOverrunPolicy(reference, &limit)) {
      case Int(kGYTimerFromEnd): return .fromEnd
      case Int(kGYTimerCatchUp): return .catchUp(limit: limit)
      default: return .skip
      }
    }
    set {
      let (policy, limit) = newValue.parts
      if GYRunLoopTimerSetOverrunPolicy(reference, policy, limit) == 0 {
        fatalError("Gyre: no memory")
      }
    }
  }

  /// Calls the closure at once, inside this call, due or not, in a mode or not.
  ///
  /// The schedule of a repeating timer is not touched; a timer that fires once is invalid
  /// afterwards. In every other way it is a firing: nested runs do not fire the timer, and a moment
  /// set inside is the next one. In the timer's own closure it is called once more, inside that.
  ///
  /// - Returns: whether it has been called, which an invalid timer is not.
  /// - Threads: that of the loop that the timer is for; on another one it does nothing, gives false
  ///   and reports that.
  /// - Callout: the closure.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerFire`.
  @discardableResult
  public func fire() -> Bool {
    if loop.isCurrent { return GYRunLoopTimerFire(reference) != 0 }
    report("EventLoop.Timer.fire()", "only the thread of its loop can call it", rule: "R191")
    return false
  }
}

extension EventLoop.Timer.Overrun {
  fileprivate var parts: (policy: GYRunLoopTimerOverrunPolicy, limit: Int) {
    switch self {
    case .skip: (GYRunLoopTimerOverrunPolicy(kGYTimerSkip), 0)
    case .fromEnd: (GYRunLoopTimerOverrunPolicy(kGYTimerFromEnd), 0)
    case .catchUp(let limit): (GYRunLoopTimerOverrunPolicy(kGYTimerCatchUp), limit)
    }
  }
}
