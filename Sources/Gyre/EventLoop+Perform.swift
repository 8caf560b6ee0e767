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
    try hand(over: work, UnsafeRawPointer(mode.handle))
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
    if modes.isEmpty { throw .invalid }
    let outcome = modes.withSelector { selector in
      Swift.Result { () throws(GyreError) in try hand(over: work, selector) }
    }
    try outcome.get()
  }

  private func hand(
    over work: @escaping @Sendable () -> Void, _ modes: UnsafeRawPointer?
  ) throws(GyreError) {
    guard isAlive else { throw .loopEnded }
    let cell = UnsafeMutablePointer<@Sendable () -> Void>.allocate(capacity: 1)
    cell.initialize(to: work)
    System.errorNumber = 0
    if GYRunLoopPerform(reference, modes, callWork, cell, releaseWork) {
      GYRunLoopWakeUp(reference)
      return
    }
    let code = System.errorNumber
    releaseWork(cell)
    throw GyreError(errno: code)
  }
}

/// A closure takes two words, which a pointer has no room for.
private let callWork: GYPerformFunction = { cell in
  cell?.assumingMemoryBound(to: (@Sendable () -> Void).self).pointee()
}

private let releaseWork: GYPerformFunction = { cell in
  guard let cell = cell?.assumingMemoryBound(to: (@Sendable () -> Void).self) else { return }
  cell.deinitialize(count: 1)
  cell.deallocate()
}

extension EventLoop {
  /// Has a closure called on the loop's thread and waits until it has returned. On that thread
  /// itself the call is made at once.
  ///
  /// A loop that does not run in the mode leaves the caller waiting until it does, or ends. Two
  /// loops that wait for one another wait for ever.
  ///
  /// - Returns: what `work` returns.
  /// - Threads: any.
  /// - Callout: `work`, on the loop's thread.
  /// - Blocking: until `work` has returned or the loop's thread ends.
  /// - Errors: ``GyreError/loopEnded``, also where the thread ends while the caller waits;
  ///   ``GyreError/noMemory``. `work` has not been called then.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerformAndWait`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  public func performAndWait<Value: Sendable>(
    in mode: Mode, _ work: @Sendable () -> Value
  ) throws(GyreError) -> Value {
    try wait(for: work, UnsafeRawPointer(mode.handle))
  }

  /// Has a closure called on the loop's thread, in one of several modes or in a common mode, and
  /// waits until it has returned. On that thread itself the call is made at once.
  ///
  /// - Returns: what `work` returns.
  /// - Threads: any.
  /// - Callout: `work`, on the loop's thread.
  /// - Blocking: until `work` has returned or the loop's thread ends.
  /// - Errors: as ``performAndWait(in:_:)-(EventLoop.Mode,_)``; ``GyreError/invalid`` where no mode
  ///   is named.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerformAndWait`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  public func performAndWait<Value: Sendable>(
    in modes: Modes, _ work: @Sendable () -> Value
  ) throws(GyreError) -> Value {
    if modes.isEmpty { throw .invalid }
    let outcome = modes.withSelector { selector in
      Swift.Result { () throws(GyreError) in try wait(for: work, selector) }
    }
    return try outcome.get()
  }

  private func wait<Value>(
    for work: () -> Value, _ modes: UnsafeRawPointer?
  ) throws(GyreError) -> Value {
    guard isAlive else { throw .loopEnded }
    var value: Value?
    System.errorNumber = 0
    // Nobody keeps the closure: the call has been made when this returns, or never will be.
    let isDone = withoutActuallyEscaping({ value = work() }) { call in
      var call: () -> Void = call
      return withUnsafeMutablePointer(to: &call) { call in
        GYRunLoopPerformAndWait(
          reference, modes, { $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, call)
      }
    }
    let code = System.errorNumber
    guard isDone, let value else { throw GyreError(errno: code) }
    return value
  }
}
