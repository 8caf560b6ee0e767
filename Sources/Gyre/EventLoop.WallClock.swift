internal import CGyre

extension EventLoop {
  /// The clock that people set: it shows the date, and may be set forward and back.
  ///
  /// - Since: 0.1.
  /// - Stands on: `CLOCK_REALTIME`.
  public enum WallClock {
    /// A date, as a length of time since 1970-01-01 00:00:00 UTC.
    ///
    /// It is what Foundation's `Date` is: `Instant(since1970: .seconds(date.timeIntervalSince1970))`.
    ///
    /// - Since: 0.1.
    public struct Instant: InstantProtocol {
      /// The length of time since 1970.
      ///
      /// - Since: 0.1.
      public var since1970: Duration

      /// Makes a date.
      ///
      /// - Since: 0.1.
      public init(since1970: Duration) { self.since1970 = since1970 }

      /// The current date by the clock of the calling thread's loop.
      ///
      /// - Threads: any.
      /// - Since: 0.1.
      /// - Stands on: `CLOCK_REALTIME`; `GYAbsoluteTimeGetCurrent` where the loop goes by a
      ///   ``ManualClock``.
      public static var now: Instant {
        if let clock = EventLoop.currentIfMade?.clock { return clock.date }
        return Instant(since1970: .nanoseconds(System.wallNow))
      }

      /// 2001-01-01 00:00:00 UTC.
      ///
      /// - Since: 0.1.
      public static let reference = Instant(since1970: .seconds(978_307_200))

      /// The date as much later.
      ///
      /// - Since: 0.1.
      public func advanced(by duration: Duration) -> Instant {
        Instant(since1970: since1970 + duration)
      }

      /// How long it is until another date.
      ///
      /// - Since: 0.1.
      public func duration(to other: Instant) -> Duration { other.since1970 - since1970 }

      /// Whether a date comes before another.
      ///
      /// - Since: 0.1.
      public static func < (a: Instant, b: Instant) -> Bool { a.since1970 < b.since1970 }
    }
  }
}

extension EventLoop.WallClock.Instant {
  /// What the C library takes: seconds since 2001, rounded up, so that nothing that waits for it is
  /// early.
  var absoluteTime: GYAbsoluteTime {
    let (seconds, attoseconds) = (since1970 - Self.reference.since1970).components
    let nearest = Double(seconds) + Double(attoseconds) / 1e18
    return Self(absoluteTime: nearest) < self ? nearest.nextUp : nearest
  }

  init(absoluteTime: GYAbsoluteTime) {
    self.init(since1970: Self.reference.since1970 + .seconds(absoluteTime))
  }
}

extension EventLoop.Timer {
  /// Makes a timer that fires at a date, once or again and again.
  ///
  /// It follows the wall clock when that is set, forward and back: it fires when the clock shows the
  /// date.
  ///
  /// - Parameters:
  ///   - date: One that has passed means now.
  ///   - interval: From one firing to the next, by the same clock; nil for a timer that fires once.
  ///     Zero and less stand for 100 microseconds.
  ///   - tolerance: By how much it may be late where that saves waking up.
  ///   - clockWasSet: Called after the clock was set, due or not, with how far it went forward, or
  ///     less than zero if it went back. The next firing is not touched, but may be by the call.
  ///   - action: Called on the thread that makes the timer, as `clockWasSet` is.
  /// - Threads: that of the loop that the timer is for.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerCreateAfter`, `GYRunLoopTimerSetClock`,
  ///   `GYRunLoopTimerSetNextFireDate`.
  @_disfavoredOverload  // `.now` is the clock's that loops wait by
  public convenience init(
    at date: EventLoop.WallClock.Instant, every interval: Duration? = nil,
    tolerance: Duration = .zero, clockWasSet: ((Duration) -> Void)? = nil,
    _ action: @escaping () -> Void
  ) {
    let schedule =
      interval.map { Schedule(every: $0, after: .zero, tolerance: tolerance, overrun: .skip) }
      ?? Schedule(after: .zero, tolerance: tolerance)
    let callback = TimerCallback(loop: .current, action: action)
    callback.clockWasSet = clockWasSet
    self.init(schedule, callback)
    if !goesByWallClock() { fatalError("Gyre: no memory") }
    GYRunLoopTimerSetNextFireDate(reference, date.absoluteTime)
  }

  /// Moves the next firing to a date. From now on the timer goes by the wall clock.
  ///
  /// - Parameter date: One that has passed means now.
  /// - Threads: any.
  /// - Errors: an invalid timer is left as it is. Where the system refuses what the timer's loop
  ///   needs for that clock, the timer goes by the one from before, which setting the wall clock does
  ///   not move.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerSetClock`, `GYRunLoopTimerSetNextFireDate`.
  @_disfavoredOverload
  public func reschedule(at date: EventLoop.WallClock.Instant) {
    goesByWallClock()
    GYRunLoopTimerSetNextFireDate(reference, date.absoluteTime)
  }

  @discardableResult
  private func goesByWallClock() -> Bool {
    goes(by: kGYTimerWall) { _, change, info in
      Callback.call(info, as: TimerCallback.self) { $0.clockWasSet?(.nanoseconds(change)) }
    }
  }
}
