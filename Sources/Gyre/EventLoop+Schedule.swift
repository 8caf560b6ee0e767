// Timers that are made and added in one call, for any loop.

extension EventLoop {
  /// Has the loop call a closure once, after a length of time, in a mode.
  ///
  /// A sleeping loop takes notice.
  ///
  /// - Parameters:
  ///   - delay: How long from now, by the clock that stands still while the machine is suspended.
  ///   - tolerance: By how much it may be late where that saves waking up.
  ///   - mode: The mode that it is called in.
  ///   - action: Called on the loop's thread.
  /// - Returns: the timer, which has been added. Dropping it changes nothing: the loop keeps it.
  ///   One that ends when it is dropped is held by an ``AutoCancel``.
  /// - Threads: any.
  /// - Errors: ``GyreError/loopEnded``; what the system refuses, and then the closure is let go
  ///   without being called.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerCreateAfter` and `GYRunLoopAddTimer`.
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration = .zero, in mode: Mode,
    _ action: @escaping @Sendable () -> Void
  ) throws(GyreError) -> Timer {
    let schedule = Timer.Schedule(after: delay, tolerance: tolerance)
    return try add(schedule, to: [mode], action)
  }

  /// Has the loop call a closure once, after a length of time, in several modes or in the common
  /// modes.
  ///
  /// - Returns: the timer, which has been added. Dropping it changes nothing: the loop keeps it.
  ///   One that ends when it is dropped is held by an ``AutoCancel``.
  /// - Threads: any.
  /// - Errors: ``GyreError/loopEnded``; what the system refuses, and then the closure is let go
  ///   without being called; ``GyreError/invalid`` where no mode is named.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerCreateAfter` and `GYRunLoopAddTimer`.
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration = .zero, in modes: Modes,
    _ action: @escaping @Sendable () -> Void
  ) throws(GyreError) -> Timer {
    let schedule = Timer.Schedule(after: delay, tolerance: tolerance)
    return try add(schedule, to: modes, action)
  }

  /// Has the loop call a closure again and again, in a mode.
  ///
  /// A sleeping loop takes notice.
  ///
  /// - Parameters:
  ///   - interval: From one firing to the next. Zero and less stand for 100 microseconds.
  ///   - delay: How long from now to the first firing; one interval where it is nil.
  ///   - tolerance: By how much it may be late where that saves waking up; at most half the
  ///     interval counts.
  ///   - overrun: What becomes of firings that were missed.
  ///   - mode: The mode that it is called in.
  ///   - action: Called on the loop's thread.
  /// - Returns: the timer, which has been added. Dropping it changes nothing: the loop keeps it.
  ///   One that ends when it is dropped is held by an ``AutoCancel``.
  /// - Threads: any.
  /// - Errors: ``GyreError/loopEnded``; what the system refuses, and then the closure is let go
  ///   without being called.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerCreateAfter` and `GYRunLoopAddTimer`.
  @discardableResult
  public func schedule(
    every interval: Duration, after delay: Duration? = nil, tolerance: Duration = .zero,
    overrun: Timer.Overrun = .skip, in mode: Mode, _ action: @escaping @Sendable () -> Void
  ) throws(GyreError) -> Timer {
    let schedule = Timer.Schedule(
      every: interval, after: delay, tolerance: tolerance, overrun: overrun)
    return try add(schedule, to: [mode], action)
  }

  /// Has the loop call a closure again and again, in several modes or in the common modes.
  ///
  /// - Returns: the timer, which has been added. Dropping it changes nothing: the loop keeps it.
  ///   One that ends when it is dropped is held by an ``AutoCancel``.
  /// - Threads: any.
  /// - Errors: ``GyreError/loopEnded``; what the system refuses, and then the closure is let go
  ///   without being called; ``GyreError/invalid`` where no mode is named.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerCreateAfter` and `GYRunLoopAddTimer`.
  @discardableResult
  public func schedule(
    every interval: Duration, after delay: Duration? = nil, tolerance: Duration = .zero,
    overrun: Timer.Overrun = .skip, in modes: Modes, _ action: @escaping @Sendable () -> Void
  ) throws(GyreError) -> Timer {
    let schedule = Timer.Schedule(
      every: interval, after: delay, tolerance: tolerance, overrun: overrun)
    return try add(schedule, to: modes, action)
  }

  /// The timer is in all of the modes, or has ended.
  ///
  /// - Parameter action: one that may be called on the loop's thread: of that thread, or
  ///   `Sendable`.
  func add(
    _ schedule: Timer.Schedule, to modes: Modes, _ action: @escaping () -> Void
  ) throws(GyreError) -> Timer {
    if modes.isEmpty { throw .invalid }
    let timer = Timer(for: self, schedule, action)
    do throws(GyreError) {
      try add(timer, to: modes)
    } catch {
      timer.invalidate()
      throw error
    }
    return timer
  }
}
