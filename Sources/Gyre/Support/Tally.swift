import Synchronization

/// Counts what is under way. Relaxed: nothing is read on the strength of the number.
final class Tally: Sendable {
  private let number = Atomic<Int>(0)

  var count: Int { number.load(ordering: .relaxed) }

  /// Counts for as long as it is held.
  final class Mark: Sendable {
    private let tally: Tally

    init(_ tally: Tally) {
      self.tally = tally
      tally.number.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { tally.number.wrappingSubtract(1, ordering: .relaxed) }
  }
}
