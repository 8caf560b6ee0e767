internal import CGyre

extension EventLoop {
  /// Calls a closure at the drain points of its modes, each time once the pool of the run has been
  /// drained: to give back caches, to flush what an iteration has collected.
  ///
  /// It is an ``Observer`` in all but when it is called; no order of an observer comes between it
  /// and the drain. What it defers goes into the pool that follows. Which points a mode has says
  /// ``EventLoop/setDrainPolicy(_:of:)``.
  ///
  /// - Threads: made on the thread of the loop that it is for; its members may be used on any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopObserverRef`, made by `GYDrainHookCreate`.
  public final class DrainHook: Item, @unchecked Sendable {
    override class var kind: ItemKind { .observer }

    /// Makes a hook.
    ///
    /// - Parameters:
    ///   - points: The points at which to be called; with none it never is.
    ///   - order: Lower ones are called first; equal ones in the order in which they were added.
    ///   - action: Called with one of the points, on the thread that makes the hook.
    /// - Threads: that of the loop that the hook is for.
    /// - Since: 0.1.
    /// - Stands on: `GYDrainHookCreate`.
    public init(
      _ points: DrainPool.Points, order: Int = 0, _ action: @escaping (DrainPool.Points) -> Void
    ) {
      let loop = EventLoop.current
      let info = DrainCallback(loop: loop, action: action).retained()
      super.init(loop: loop, reference: makeHook(points.intersection(.all), order, info))
    }
  }
}

private func makeHook(
  _ points: DrainPool.Points, _ order: Int, _ info: UnsafeMutableRawPointer
) -> OpaquePointer? {
  let call: GYRunLoopObserverCallBack = { _, point, info in
    Callback.call(info, as: DrainCallback.self) {
      $0.action(DrainPool.Points(rawValue: UInt(point)))
    }
  }
  if !points.isEmpty {
    return GYDrainHookCreate(
      GYOptionFlags(points.rawValue), order, call, info, { Callback.end($0) })
  }
  // The C library makes no hook that is never called, but such an observer.
  var context = GYRunLoopObserverContext(
    version: 0, info: info, retain: nil, release: { Callback.end($0) }, copyDescription: nil)
  return GYRunLoopObserverCreate(nil, 0, 1, order, call, &context)
}

private final class DrainCallback: Callback {
  let action: (DrainPool.Points) -> Void

  init(loop: EventLoop, action: @escaping (DrainPool.Points) -> Void) {
    self.action = action
    super.init(loop: loop)
  }
}

extension EventLoop.DrainHook {
  /// The points that the hook was made for.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopObserverGetActivities`.
  public var points: DrainPool.Points {
    DrainPool.Points(rawValue: UInt(GYRunLoopObserverGetActivities(reference)))
  }

  /// The order that the hook was made with.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopObserverGetOrder`.
  public var order: Int { GYRunLoopObserverGetOrder(reference) }
}

extension EventLoop {
  /// Calls a closure at the drain points of a mode from now on.
  ///
  ///     let hook = try loop.onDrain(in: .default, at: .beforeWaiting) { cache.shrink() }
  ///
  /// - Parameters:
  ///   - mode: The mode whose drain points are meant.
  ///   - points: The points at which to be called; with none it never is.
  ///   - order: Lower ones are called first; equal ones in the order in which they were added.
  ///   - action: Called on the loop's thread, until the hook is removed or invalidated.
  /// - Returns: the hook. Dropping it changes nothing; an ``AutoCancel`` ends it when it is
  ///   dropped.
  /// - Threads: the loop's own.
  /// - Callout: later, `action`.
  /// - Blocking: never.
  /// - Errors: as ``add(_:to:)-(_,EventLoop.Mode)``; ``GyreError/madeForAnotherLoop`` on another
  ///   thread.
  /// - Since: 0.1.
  /// - Stands on: `GYDrainHookCreate`, `GYRunLoopAddObserver`.
  @discardableResult
  public func onDrain(
    in mode: Mode, at points: DrainPool.Points = .all, order: Int = 0,
    _ action: @escaping () -> Void
  ) throws(GyreError) -> DrainHook {
    let hook = DrainHook(points, order: order) { _ in action() }
    try add(hook, to: mode)
    return hook
  }

  /// Calls a closure at the drain points of several modes, or of the common modes, from now on.
  ///
  /// - Returns: the hook. Dropping it changes nothing; an ``AutoCancel`` ends it when it is
  ///   dropped.
  /// - Threads: the loop's own.
  /// - Callout: later, `action`.
  /// - Blocking: never.
  /// - Errors: as ``onDrain(in:at:order:_:)-(EventLoop.Mode,_,_,_)``. Where one of several modes
  ///   refuses the hook, it is in none.
  /// - Since: 0.1.
  /// - Stands on: `GYDrainHookCreate`, `GYRunLoopAddObserver`.
  @discardableResult
  public func onDrain(
    in modes: Modes, at points: DrainPool.Points = .all, order: Int = 0,
    _ action: @escaping () -> Void
  ) throws(GyreError) -> DrainHook {
    let hook = DrainHook(points, order: order) { _ in action() }
    do throws(GyreError) {
      try add(hook, to: modes)
    } catch {
      hook.invalidate()
      throw error
    }
    return hook
  }
}
