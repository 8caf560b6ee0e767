internal import CGyre

extension EventLoop {
  /// A clock that stands still until it is moved, for loops whose time is the program's: a day of
  /// timers runs in no time, the same way each time.
  ///
  ///     let clock = EventLoop.ManualClock(advancesItself: true)
  ///     try loop.setClock(clock)
  ///     loop.run(mode: .default, for: .seconds(86_400))
  ///
  /// All of a loop's times are read from its clock: those of timers, how long runs last, delays of
  /// closures. It is no clock for tasks: nothing sleeps by it but loops.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYManualClockRef`.
  public final class ManualClock: Sendable {
    private let owner: Reference
    var reference: OpaquePointer { owner.pointer }

    /// Makes a clock that shows ``Instant/start``.
    ///
    /// - Parameters:
    ///   - advancesItself: Whether the loop that goes by it moves it to the next deadline, of a
    ///     timer or of its run, where it would sleep and nothing is ready. One loop at a time may go
    ///     by such a clock, any number by another.
    ///   - date: The date that it shows at first.
    /// - Threads: any.
    /// - Since: 0.1.
    /// - Stands on: `GYManualClockCreate`.
    public init(
      advancesItself: Bool = false, date: WallClock.Instant = WallClock.Instant.reference
    ) {
      owner = .required(GYManualClockCreate(nil, date.absoluteTime, advancesItself ? 1 : 0))
    }

    init(owned pointer: OpaquePointer) {
      owner = Reference(owned: pointer)
    }

    /// A moment of a manual clock.
    ///
    /// - Since: 0.1.
    public struct Instant: InstantProtocol {
      /// How long after the beginning of its clock it is.
      ///
      /// - Since: 0.1.
      public var offset: Duration

      /// Makes a moment.
      ///
      /// - Since: 0.1.
      public init(offset: Duration) { self.offset = offset }

      /// What a clock shows when it has been made.
      ///
      /// - Since: 0.1.
      public static let start = Instant(offset: .zero)

      /// The moment as much later.
      ///
      /// - Since: 0.1.
      public func advanced(by duration: Duration) -> Instant {
        Instant(offset: offset + duration)
      }

      /// How long it is until another moment.
      ///
      /// - Since: 0.1.
      public func duration(to other: Instant) -> Duration { other.offset - offset }

      /// Whether a moment comes before another.
      ///
      /// - Since: 0.1.
      public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }
  }
}

extension EventLoop.ManualClock {
  /// What the clock shows.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYManualClockGetNow`.
  public var now: Instant { Instant(offset: .nanoseconds(GYManualClockGetNow(reference))) }

  /// The date that the clock shows.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYManualClockGetDate`.
  public var date: EventLoop.WallClock.Instant {
    EventLoop.WallClock.Instant(absoluteTime: GYManualClockGetDate(reference))
  }

  /// Whether the loop that goes by the clock moves it.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYManualClockAdvancesItself`.
  public var advancesItself: Bool { GYManualClockAdvancesItself(reference) != 0 }

  /// Moves the clock forward. What has come due in the loops that go by it is called in their next
  /// pass, and those that sleep make it. A repeating timer fires once, however far the clock was
  /// moved.
  ///
  /// - Parameter duration: Zero changes nothing, less is refused and reported.
  /// - Threads: any, also in closures that a loop calls.
  /// - Blocking: never; nothing has been called when it returns.
  /// - Since: 0.1.
  /// - Stands on: `GYManualClockAdvance`.
  public func advance(by duration: Duration) {
    if duration >= .zero { return GYManualClockAdvance(reference, duration.nanoseconds) }
    report("EventLoop.ManualClock.advance(by:)", "a clock does not go back", rule: "R312")
  }

  /// Moves the clock forward to a moment, as ``advance(by:)`` does; one that has passed changes
  /// nothing.
  ///
  /// - Threads: any, also in closures that a loop calls.
  /// - Since: 0.1.
  /// - Stands on: `GYManualClockAdvanceTo`.
  public func advance(to moment: Instant) {
    GYManualClockAdvanceTo(reference, moment.offset.nanoseconds)
  }

  /// Moves the clock forward to a date of its own, as ``advance(by:)`` does; one that has passed
  /// changes nothing.
  ///
  /// - Threads: any, also in closures that a loop calls.
  /// - Since: 0.1.
  /// - Stands on: `GYManualClockAdvanceToDate`.
  public func advance(to date: EventLoop.WallClock.Instant) {
    GYManualClockAdvanceToDate(reference, date.absoluteTime)
  }
}

extension EventLoop.ManualClock: Hashable {
  /// Whether both are one clock.
  ///
  /// - Since: 0.1.
  public static func == (a: EventLoop.ManualClock, b: EventLoop.ManualClock) -> Bool {
    a.reference == b.reference
  }

  /// Hashes by identity.
  ///
  /// - Since: 0.1.
  public func hash(into hasher: inout Hasher) { hasher.combine(reference) }
}
