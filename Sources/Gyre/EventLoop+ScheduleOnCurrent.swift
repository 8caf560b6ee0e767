// The same for the calling thread's own loop, whose closures need not be `Sendable`.

extension EventLoop {
  /// Has the calling thread's own loop call a closure once, after a length of time, in a mode.
  ///
  /// The closure need not be `Sendable`: it is called, and let go, on the thread that it comes
  /// from. Otherwise it is as with
  /// ``schedule(after:tolerance:in:_:)-(_,_,EventLoop.Mode,_)``.
  ///
  /// - Returns: the timer, which has been added. Dropping it changes nothing: the loop keeps it.
  ///   One that ends when it is dropped is held by an ``AutoCancel``.
  /// - Threads: any, for its own loop.
  /// - Errors: ``GyreError/loopEnded``; what the system refuses, and then the closure is let go
  ///   without being called.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerCreateAfter` and `GYRunLoopAddTimer`.
  @available(*, noasync, message: "an async function has no thread of its own")
  @discardableResult
  public static func scheduleOnCurrent(
    after delay: Duration, tolerance: Duration = .zero, in mode: Mode,
    _ action: @escaping () -> Void
  ) throws(GyreError) -> Timer {
    let schedule = Timer.Schedule(after: delay, tolerance: tolerance)
    return try current.add(schedule, to: [mode], action)
  }

  /// Has the calling thread's own loop call a closure once, after a length of time, in several
  /// modes or in the common modes.
  ///
  /// - Returns: the timer, which has been added. Dropping it changes nothing: the loop keeps it.
  ///   One that ends when it is dropped is held by an ``AutoCancel``.
  /// - Threads: any, for its own loop.
  /// - Errors: ``GyreError/loopEnded``; what the system refuses, and then the closure is let go
  ///   without being called; ``GyreError/invalid`` where no mode is named.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerCreateAfter` and `GYRunLoopAddTimer`.
  @available(*, noasync, message: "an async function has no thread of its own")
  @discardableResult
  public static func scheduleOnCurrent(
    after delay: Duration, tolerance: Duration = .zero, in modes: Modes,
    _ action: @escaping () -> Void
  ) throws(GyreError) -> Timer {
    let schedule = Timer.Schedule(after: delay, tolerance: tolerance)
    return try current.add(schedule, to: modes, action)
  }

  /// Has the calling thread's own loop call a closure again and again, in a mode.
  ///
  /// The closure need not be `Sendable`: it is called, and let go, on the thread that it comes
  /// from. Otherwise it is as with
  /// ``schedule(every:after:tolerance:overrun:in:_:)-(_,_,_,_,EventLoop.Mode,_)``.
  ///
  /// - Returns: the timer, which has been added. Dropping it changes nothing: the loop keeps it.
  ///   One that ends when it is dropped is held by an ``AutoCancel``.
  /// - Threads: any, for its own loop.
  /// - Errors: ``GyreError/loopEnded``; what the system refuses, and then the closure is let go
  ///   without being called.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerCreateAfter` and `GYRunLoopAddTimer`.
  @available(*, noasync, message: "an async function has no thread of its own")
  @discardableResult
  public static func scheduleOnCurrent(
    every interval: Duration, after delay: Duration? = nil, tolerance: Duration = .zero,
    overrun: Timer.Overrun = .skip, in mode: Mode, _ action: @escaping () -> Void
  ) throws(GyreError) -> Timer {
    let schedule = Timer.Schedule(
      every: interval, after: delay, tolerance: tolerance, overrun: overrun)
    return try current.add(schedule, to: [mode], action)
  }

  /// Has the calling thread's own loop call a closure again and again, in several modes or in the
  /// common modes.
  ///
  /// - Returns: the timer, which has been added. Dropping it changes nothing: the loop keeps it.
  ///   One that ends when it is dropped is held by an ``AutoCancel``.
  /// - Threads: any, for its own loop.
  /// - Errors: ``GyreError/loopEnded``; what the system refuses, and then the closure is let go
  ///   without being called; ``GyreError/invalid`` where no mode is named.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerCreateAfter` and `GYRunLoopAddTimer`.
  @available(*, noasync, message: "an async function has no thread of its own")
  @discardableResult
  public static func scheduleOnCurrent(
    every interval: Duration, after delay: Duration? = nil, tolerance: Duration = .zero,
    overrun: Timer.Overrun = .skip, in modes: Modes, _ action: @escaping () -> Void
  ) throws(GyreError) -> Timer {
    let schedule = Timer.Schedule(
      every: interval, after: delay, tolerance: tolerance, overrun: overrun)
    return try current.add(schedule, to: modes, action)
  }
}
