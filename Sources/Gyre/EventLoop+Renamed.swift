// What these are called in Foundation: the compiler offers the names of this module in their place.

extension EventLoop {
  /// Foundation's spelling of ``add(_:to:)-(_,EventLoop.Mode)``.
  ///
  /// - Since: 0.1.
  @available(*, unavailable, renamed: "add(_:to:)")
  public func add(_ item: Item, forMode mode: Mode) {}

  /// Foundation's spelling of ``add(_:to:)-(_,EventLoop.Modes)``.
  ///
  /// - Since: 0.1.
  @available(*, unavailable, renamed: "add(_:to:)")
  public func add(_ item: Item, forMode modes: Modes) {}

  /// Foundation's spelling of ``runOnce(mode:until:)-(_,SuspendingClock.Instant)``.
  ///
  /// - Since: 0.1.
  @available(*, unavailable, renamed: "runOnce(mode:until:)")
  public func run(mode: Mode, before deadline: SuspendingClock.Instant) -> Bool { false }

  /// Foundation's spelling of ``limitDate(in:)``.
  ///
  /// - Since: 0.1.
  @available(*, unavailable, renamed: "limitDate(in:)")
  public func limitDate(forMode mode: Mode) -> SuspendingClock.Instant? { nil }

  /// Foundation's name for a run up to a moment without an answer, which
  /// ``runOnce(mode:until:)-(_,SuspendingClock.Instant)`` is too.
  ///
  /// - Since: 0.1.
  @available(*, unavailable, renamed: "runOnce(mode:until:)")
  public func acceptInput(forMode mode: Mode, before deadline: SuspendingClock.Instant) {}

  /// Foundation's spelling of ``perform(in:_:)-(EventLoop.Modes,_)``, which wakes the loop.
  ///
  /// - Since: 0.1.
  @available(*, unavailable, renamed: "perform(in:_:)")
  public func perform(inModes modes: Modes, block: @escaping @Sendable () -> Void) {}
}

extension EventLoop.Timer {
  /// Foundation's name for ``nextFire``.
  ///
  /// - Since: 0.1.
  @available(*, unavailable, renamed: "nextFire")
  public var fireDate: SuspendingClock.Instant? {
    get { nil }
    set {}
  }

  /// Foundation's name for ``interval``.
  ///
  /// - Since: 0.1.
  @available(*, unavailable, renamed: "interval")
  public var timeInterval: Duration? { nil }

  /// Foundation's way to make a timer and add it, here
  /// ``EventLoop/scheduleOnCurrent(every:after:tolerance:overrun:in:_:)-(_,_,_,_,EventLoop.Mode,_)``.
  ///
  /// - Since: 0.1.
  @available(
    *, unavailable, message: "use EventLoop.scheduleOnCurrent(after:in:_:) or (every:in:_:)"
  )
  public static func scheduledTimer(
    withTimeInterval interval: Double, repeats: Bool,
    block: @escaping (EventLoop.Timer) -> Void
  ) {}

  /// Foundation's way to make a timer, here ``init(every:after:tolerance:overrun:_:)``.
  ///
  /// - Since: 0.1.
  @available(*, unavailable, message: "use EventLoop.Timer(after:_:) or (every:_:)")
  public convenience init(
    timeInterval interval: Double, repeats: Bool, block: @escaping (EventLoop.Timer) -> Void
  ) {
    self.init(after: .zero) {}
  }
}
