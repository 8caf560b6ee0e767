internal import CGyre

extension EventLoop {
  /// Hands the calling thread's own loop a closure, which need not be `Sendable`: it is called, and
  /// let go, on the thread that it comes from.
  ///
  /// It may use whatever belongs to the thread, the state of the main actor on the main thread for
  /// one. An actor that runs elsewhere protects nothing there. Otherwise it is as with
  /// ``perform(in:after:_:)-(EventLoop.Mode,_,_)``; without a delay the loop has to go round first,
  /// too.
  ///
  /// - Parameters:
  ///   - mode: The mode that it is called in.
  ///   - delay: How long from now; zero and less mean no delay.
  ///   - work: Called once.
  /// - Returns: what the closure is taken back with. Dropping it changes nothing.
  /// - Threads: any, for its own loop. Where another one takes the closure back, it is let go when
  ///   the loop next runs in a common mode, or ends; a loop that sleeps is woken.
  /// - Callout: later, `work`, on the calling thread. Where that ends first, `work` is let go
  ///   without being called.
  /// - Blocking: never.
  /// - Errors: ``GyreError/loopEnded`` in the last of a thread's destructors;
  ///   ``GyreError/noMemory``; what the system refuses.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerformCreate` and `GYRunLoopGetCurrent`.
  @available(*, noasync, message: "an async function has no thread of its own")
  @discardableResult
  public static func performOnCurrent(
    in mode: Mode, after delay: Duration = .zero, _ work: @escaping () -> Void
  ) throws(GyreError) -> Request {
    let loop = current
    return try loop.request(Work(of: loop, work), after: delay, UnsafeRawPointer(mode.handle))
  }

  /// Hands the calling thread's own loop a closure, to be called in one of several modes or in a
  /// common mode. It need not be `Sendable`: it is called, and let go, on the thread that it comes
  /// from.
  ///
  /// - Returns: what the closure is taken back with. Dropping it changes nothing.
  /// - Threads: as ``performOnCurrent(in:after:_:)-(EventLoop.Mode,_,_)``.
  /// - Callout: later, `work`, on the calling thread. Where that ends first, `work` is let go
  ///   without being called.
  /// - Blocking: never.
  /// - Errors: as ``performOnCurrent(in:after:_:)-(EventLoop.Mode,_,_)``; ``GyreError/invalid``
  ///   where no mode is named.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerformCreate` and `GYRunLoopGetCurrent`.
  @available(*, noasync, message: "an async function has no thread of its own")
  @discardableResult
  public static func performOnCurrent(
    in modes: Modes, after delay: Duration = .zero, _ work: @escaping () -> Void
  ) throws(GyreError) -> Request {
    let loop = current
    return try modes.withSelectorOrThrow { selector throws(GyreError) in
      try loop.request(Work(of: loop, work), after: delay, selector)
    }
  }
}
