// Lengths of time and moments, as the C library has them: nanoseconds of the monotonic clock.

internal import CGyre

extension Duration {
  /// Rounded up, so that nothing that waits for it is early; what does not fit is the nearest
  /// number that does.
  var nanoseconds: Int64 {
    // A duration may be longer than its own components can tell.
    if self >= .nanoseconds(Int64.max) { return .max }
    if self <= .nanoseconds(Int64.min) { return .min }
    let (seconds, attoseconds) = components
    // Both parts have the same sign; the division rounds towards zero.
    let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    // In wrapping steps: of a length near the lowest one a part does not fit, and the sum does.
    return seconds &* 1_000_000_000 &+ whole &+ (rest > 0 ? 1 : 0)
  }
}

extension ContinuousClock.Instant {
  /// The moment by the clock of the calling thread's loop, if the machine is not suspended before
  /// then.
  var onSuspendingClock: SuspendingClock.Instant {
    EventLoop.now.advanced(by: ContinuousClock.now.duration(to: self))
  }
}

/// The same clock under two names: CLOCK_MONOTONIC is what `SuspendingClock` counts on Linux, from
/// a beginning that it does not tell.
enum Monotonic {
  /// A moment by both. The number is read last: an instant turned into a number is never early.
  private static let anchor: (instant: SuspendingClock.Instant, nanoseconds: Int64) = {
    var best = (instant: SuspendingClock.now, nanoseconds: System.monotonicNow)
    var bestWidth = Int64.max
    for _ in 0..<8 {
      let before = System.monotonicNow
      let instant = SuspendingClock.now
      let after = System.monotonicNow
      if after - before < bestWidth {
        bestWidth = after - before
        best = (instant, after)
      }
    }
    return best
  }()

  /// By the clock of the calling thread's loop, as all that the C library takes and gives.
  static var now: Int64 { GYMonotonicNow() }

  static func nanoseconds(of instant: SuspendingClock.Instant) -> Int64 {
    add(anchor.nanoseconds, anchor.instant.duration(to: instant).nanoseconds)
  }

  /// The moment of a continuous clock as it stands to this one now: the two part when the machine
  /// is suspended.
  static func nanoseconds(of instant: ContinuousClock.Instant) -> Int64 {
    nanoseconds(after: ContinuousClock.now.duration(to: instant))
  }

  /// What the C library takes and gives for a moment that does not come.
  static let never = Int64.max

  /// Nil for the moment that does not come.
  static func instantIfEver(of nanoseconds: Int64) -> SuspendingClock.Instant? {
    nanoseconds == never ? nil : instant(of: nanoseconds)
  }

  static func instant(of nanoseconds: Int64) -> SuspendingClock.Instant {
    let (distance, isOut) = nanoseconds.subtractingReportingOverflow(anchor.nanoseconds)
    return anchor.instant.advanced(by: .nanoseconds(isOut ? .min : distance))
  }

  /// The moment at which a length of time that begins now will be over.
  static func nanoseconds(after duration: Duration) -> Int64 {
    add(GYMonotonicNow(), duration.nanoseconds)
  }

  private static func add(_ moment: Int64, _ length: Int64) -> Int64 {
    let (sum, isOut) = moment.addingReportingOverflow(length)
    return isOut ? (length < 0 ? .min : .max) : sum
  }
}
