internal import CGyre

/// Calls a closure with a drain pool of its own around it, which drains when the closure is over,
/// whether it returns or throws.
///
///     for file in files {
///       try drainPool { try check(file) }
///     }
///
/// What is deferred meanwhile by ``DrainPool/defer(_:)``, ``DrainPool/extendLifetime(of:)`` or C
/// code goes into it, and is called newest first. Pools nest. A running loop has one by itself, so
/// the closures that it calls need none of their own, unless they do so much that waiting for the
/// loop's would take too long or too much memory.
///
/// - Returns: what `body` returns.
/// - Threads: any; the pool is the calling thread's. In an async function as well, for the closure
///   does not suspend.
/// - Callout: `body`, then what it has deferred.
/// - Errors: what `body` throws. Where memory is out there is no pool, and what `body` defers goes
///   into the one around it.
/// - Since: 0.1.
/// - Stands on: `GYDrainPoolPush`, `GYDrainPoolPop`.
public func drainPool<Value: ~Copyable, Failure>(
  _ body: () throws(Failure) -> Value
) throws(Failure) -> Value {
  let pool = GYDrainPoolPush()
  defer { if pool != 0 { GYDrainPoolPop(pool) } }
  return try body()
}

/// What can be put off until a drain pool drains, and when those of loops do.
///
/// A pool takes calls that are put off to the end of a stretch of work, on the thread that puts
/// them off: ``drainPool(_:)`` makes one, and a running loop has one, which drains once in each
/// iteration and at the end of the run. See <doc:DrainPools>.
///
/// - Since: 0.1.
public enum DrainPool {
  /// Puts off a closure until the innermost pool of the calling thread drains.
  ///
  /// It need not be `Sendable`: it is called, and let go after that, on the thread that it comes
  /// from. It may use whatever belongs to the thread, the state of the main actor on the main
  /// thread for one. An actor that runs elsewhere protects nothing there, unless the pool ends
  /// before the actor is left, as that of a ``drainPool(_:)`` does.
  ///
  /// - Parameter work: Called once.
  /// - Threads: any.
  /// - Callout: later, `work`, on the calling thread.
  /// - Blocking: never.
  /// - Errors: ``GyreError/invalid`` where the thread has no pool, which is reported;
  ///   ``GyreError/noMemory``. `work` is let go without being called then.
  /// - Since: 0.1.
  /// - Stands on: `GYDefer`.
  @available(*, noasync, message: "an async function has no thread of its own")
  public static func `defer`(_ work: @escaping () -> Void) throws(GyreError) {
    let cell = Work(staying: work).moved()
    System.errorNumber = 0
    if GYDefer(Work.callAndEnd, cell) { return }
    let code = System.errorNumber
    Work.end(cell)
    throw GyreError(errno: code)
  }

  /// Keeps an object until the innermost pool of the calling thread drains: for what is borrowed
  /// from it, such as a pointer into its memory. It allocates nothing.
  ///
  ///     func bytes() -> UnsafeRawBufferPointer {
  ///       let buffer = Buffer(…)
  ///       DrainPool.extendLifetime(of: buffer)
  ///       return UnsafeRawBufferPointer(buffer.memory)
  ///     }
  ///
  /// - Threads: any.
  /// - Callout: later, the end of the object, where nobody else holds it.
  /// - Blocking: never.
  /// - Errors: where the thread has no pool, which is reported, or memory is out the object is kept
  ///   for good.
  /// - Since: 0.1.
  /// - Stands on: `GYDefer`.
  @available(*, noasync, message: "an async function has no thread of its own")
  public static func extendLifetime(of object: AnyObject) {
    let kept = Unmanaged.passRetained(object).toOpaque()
    // What is borrowed may still be used where this fails.
    _ = GYDefer({ if let kept = $0 { Unmanaged<AnyObject>.fromOpaque(kept).release() } }, kept)
  }
}
