internal import CGyre

extension EventLoop {
  /// This moment by the clock of the calling thread's loop, which moments of timers and runs are
  /// given in: `SuspendingClock.now`, unless the loop goes by a ``ManualClock``.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYMonotonicNow`.
  public static var now: SuspendingClock.Instant { Monotonic.instant(of: Monotonic.now) }

  /// The manual clock that the loop goes by; nil for real time.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopCopyClock`.
  public var clock: ManualClock? {
    guard let reference, let clock = GYRunLoopCopyClock(reference) else { return nil }
    return ManualClock(owned: clock)
  }

  /// Has the loop go by a manual clock. Its timers keep their distance from now.
  ///
  /// Moments that are given or told on its thread are moments of that clock then: see ``now``.
  ///
  /// - Parameter clock: nil for real time, which every loop goes by at first.
  /// - Threads: the loop's own, while it does not run. An ``EventLoopThread``, whose loop always
  ///   does, is made with a clock.
  /// - Errors: `EPERM` on another thread; ``GyreError/busy`` while the loop runs, and where the
  ///   clock advances itself for another loop; ``GyreError/loopEnded``.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopSetClock`.
  public func setClock(_ clock: ManualClock?) throws(GyreError) {
    guard isAlive else { throw .loopEnded }
    guard isCurrent else { throw GyreError(errno: System.notPermitted) }
    guard currentMode == nil else { throw .busy }
    if GYRunLoopSetClock(reference, clock?.reference) == 0 {
      throw GyreError(errno: System.errorNumber)
    }
  }
}
