internal import CGyre

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
  /// - Errors: as ``performAndWait(in:_:)-(EventLoop.Mode,()->Value)``; ``GyreError/invalid`` where
  ///   no mode is named.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerformAndWait`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  public func performAndWait<Value: Sendable>(
    in modes: Modes, _ work: @Sendable () -> Value
  ) throws(GyreError) -> Value {
    try modes.withSelectorOrThrow { selector throws(GyreError) in try wait(for: work, selector) }
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

extension EventLoop {
  /// Why a closure that was waited for gave no value.
  ///
  /// - Since: 0.1.
  public enum PerformError<Failure: Error>: Error {
    /// It was not called: the loop did not take it, or ended first.
    ///
    /// - Since: 0.1.
    case notCalled(GyreError)
    /// It was called, and threw this.
    ///
    /// - Since: 0.1.
    case thrown(Failure)
  }

  /// Has a closure that may throw called on the loop's thread and waits until it is over, as
  /// ``performAndWait(in:_:)-(EventLoop.Mode,()->Value)`` does.
  ///
  ///     do {
  ///       try loop.performAndWait(in: .common) { () throws(ParseError) in try parse(text) }
  ///     } catch {
  ///       switch error {
  ///       case .thrown(let error): …     // a ParseError
  ///       case .notCalled(let error): …  // a GyreError
  ///       }
  ///     }
  ///
  /// A closure that does not say what it throws makes it a ``PerformError`` of `any Error`.
  ///
  /// - Returns: what `work` returns.
  /// - Threads: any.
  /// - Callout: `work`, on the loop's thread.
  /// - Blocking: until `work` is over or the loop's thread ends.
  /// - Errors: ``PerformError/thrown(_:)`` with what `work` throws; ``PerformError/notCalled(_:)``
  ///   with what the form for closures that do not throw would throw.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerformAndWait`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  public func performAndWait<Value: Sendable, Failure>(
    in mode: Mode, _ work: @Sendable () throws(Failure) -> Value
  ) throws(PerformError<Failure>) -> Value {
    try Self.unwrap { () throws(GyreError) in
      try wait(for: { Swift.Result(catching: work) }, UnsafeRawPointer(mode.handle))
    }
  }

  /// Has a closure that may throw called on the loop's thread, in one of several modes or in a
  /// common mode, and waits until it is over.
  ///
  /// - Returns: what `work` returns.
  /// - Threads: any.
  /// - Callout: `work`, on the loop's thread.
  /// - Blocking: until `work` is over or the loop's thread ends.
  /// - Errors: as the form for a single mode has them; ``GyreError/invalid`` where no mode is
  ///   named.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerformAndWait`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  public func performAndWait<Value: Sendable, Failure>(
    in modes: Modes, _ work: @Sendable () throws(Failure) -> Value
  ) throws(PerformError<Failure>) -> Value {
    try Self.unwrap { () throws(GyreError) in
      try modes.withSelectorOrThrow { selector throws(GyreError) in
        try wait(for: { Swift.Result(catching: work) }, selector)
      }
    }
  }

  /// Tells the loop's error and that of the closure apart.
  private static func unwrap<Value, Failure>(
    _ call: () throws(GyreError) -> Result<Value, Failure>
  ) throws(PerformError<Failure>) -> Value {
    let result: Result<Value, Failure>
    do throws(GyreError) {
      result = try call()
    } catch {
      throw .notCalled(error)
    }
    switch result {
    case .success(let value): return value
    case .failure(let error): throw .thrown(error)
    }
  }
}
