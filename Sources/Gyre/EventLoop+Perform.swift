internal import CGyre

extension EventLoop {
  /// Hands the loop a closure, to be called on its thread when it next runs in the mode, and wakes
  /// it.
  ///
  /// Closures are called in the order in which a thread hands them over, each once. One that waits
  /// keeps its mode from being empty. It is let go right after the call.
  ///
  /// - Threads: any.
  /// - Callout: later, `work`, on the loop's thread. Where that ends first, `work` is let go
  ///   without being called.
  /// - Blocking: never.
  /// - Errors: ``GyreError/loopEnded``; ``GyreError/noMemory``.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerform`, which wakes no loop, and `GYRunLoopWakeUp`.
  public func perform(in mode: Mode, _ work: @escaping @Sendable () -> Void) throws(GyreError) {
    try hand(over: Work(shared: work), UnsafeRawPointer(mode.handle))
  }

  /// Hands the loop a closure, to be called on its thread when it next runs in one of several modes
  /// or in a common mode, and wakes it.
  ///
  /// - Threads: any.
  /// - Callout: later, `work`, on the loop's thread. Where that ends first, `work` is let go
  ///   without being called.
  /// - Blocking: never.
  /// - Errors: as ``perform(in:_:)-(EventLoop.Mode,_)``; ``GyreError/invalid`` where no mode is
  ///   named.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerform`, which wakes no loop, and `GYRunLoopWakeUp`.
  public func perform(in modes: Modes, _ work: @escaping @Sendable () -> Void) throws(GyreError) {
    try modes.withSelectorOrThrow { selector throws(GyreError) in
      try hand(over: Work(shared: work), selector)
    }
  }

  private func hand(over work: Work, _ modes: UnsafeRawPointer?) throws(GyreError) {
    guard isAlive else { throw .loopEnded }
    let cell = work.moved()
    System.errorNumber = 0
    if GYRunLoopPerform(reference, modes, Work.call, cell, Work.end) {
      GYRunLoopWakeUp(reference)
      return
    }
    let code = System.errorNumber
    Work.end(cell)
    throw GyreError(errno: code)
  }
}

extension EventLoop {
  /// Hands the loop a closure, to be called on its thread after a length of time, when it runs in
  /// the mode; it can be taken back until then.
  ///
  ///     let request = try loop.perform(in: .default, after: .seconds(5)) { giveUp() }
  ///     …
  ///     request.cancel()
  ///
  /// The call is never early. Until it is made the mode is not empty. With no delay at all the
  /// closure takes its place among those of ``perform(in:_:)-(EventLoop.Mode,_)``.
  ///
  /// - Parameters:
  ///   - mode: The mode that it is called in.
  ///   - delay: How long from now, by the clock that stands still while the machine is suspended.
  ///     Zero and less mean no delay.
  ///   - work: Called once.
  /// - Returns: what the closure is taken back with. Dropping it changes nothing.
  /// - Threads: any.
  /// - Callout: later, `work`, on the loop's thread. Where that ends first, `work` is let go
  ///   without being called.
  /// - Blocking: never.
  /// - Errors: as ``perform(in:_:)-(EventLoop.Mode,_)``, and what the system refuses.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerformCreate`.
  @discardableResult
  public func perform(
    in mode: Mode, after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) throws(GyreError) -> Request {
    try request(Work(shared: work), after: delay, UnsafeRawPointer(mode.handle))
  }

  /// Hands the loop a closure, to be called on its thread after a length of time, when it runs in
  /// one of several modes or in a common mode; it can be taken back until then.
  ///
  /// With a delay above zero the modes that are common when this is called, and those that join
  /// them, are meant by ``Modes/common``.
  ///
  /// - Returns: what the closure is taken back with. Dropping it changes nothing.
  /// - Threads: any.
  /// - Callout: later, `work`, on the loop's thread. Where that ends first, `work` is let go
  ///   without being called.
  /// - Blocking: never.
  /// - Errors: as ``perform(in:after:_:)-(EventLoop.Mode,_,_)``; ``GyreError/invalid`` where no
  ///   mode is named.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerformCreate`.
  @discardableResult
  public func perform(
    in modes: Modes, after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) throws(GyreError) -> Request {
    try modes.withSelectorOrThrow { selector throws(GyreError) in
      try request(Work(shared: work), after: delay, selector)
    }
  }

  func request(
    _ work: Work, after delay: Duration, _ modes: UnsafeRawPointer?
  ) throws(GyreError) -> Request {
    guard isAlive else { throw .loopEnded }
    let cell = work.moved()
    System.errorNumber = 0
    if let made = GYRunLoopPerformCreate(
      reference, modes, delay.nanoseconds, Work.call, cell, Work.end)
    {
      return Request(owned: made)
    }
    let code = System.errorNumber
    Work.end(cell)
    throw GyreError(errno: code)
  }
}
