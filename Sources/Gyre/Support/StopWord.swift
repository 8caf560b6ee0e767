import Synchronization

/// Decides which run a stop is for.
///
/// The C library drops a stop while nothing runs. Here it waits for the run that it is meant for:
/// the one in progress, one that has been called and has not got so far as to be told, or the next.
/// One atomic word tells these apart; every change of it is lock-free, so a stop may come from a
/// signal handler.
///
/// A run is announced, then begun by the C library, which tells so by the first of the Entry
/// observers, and ended, which the last of the Exit observers tells.
struct StopWord: ~Copyable {
  /// A stop waits for a run to begin.
  private static let isWaiting: UInt = 1
  /// A run has been announced and has not begun.
  private static let isAnnounced: UInt = 2
  /// One thread that is stopping whatever the C library runs.
  private static let oneStopper: UInt = 4
  private static let allStoppers: UInt = 0xFFFF * oneStopper
  /// A stopper is between two calls of its own, so this is plenty. Where a fork has left one behind
  /// that will never go on, waiting ends all the same.
  private static let longestWait = 1000
  /// One run that has begun and not ended.
  private static let oneRun: UInt = allStoppers + oneStopper

  private let word = Atomic<UInt>(0)

  init() {}

  /// A stop. Any thread, also in a signal handler.
  ///
  /// - Parameter stopInnermost: stops what the C library runs at this moment, if anything.
  func stop(_ stopInnermost: () -> Void) {
    var old = word.load(ordering: .relaxed)
    while true {
      let isAnnounced = old & Self.isAnnounced != 0
      if !isAnnounced && old >= Self.oneRun { return stopInnermost() }
      // Nothing is known to run, but C code may run the loop in a mode that is not watched. No run
      // is announced while this is under way, so that it reaches none that takes the waiting stop.
      let stopper = isAnnounced ? 0 : Self.oneStopper
      let (isSwapped, current) = word.weakCompareExchange(
        expected: old, desired: (old | Self.isWaiting) + stopper,
        successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if isSwapped {
        if isAnnounced { return }
        stopInnermost()
        word.subtract(Self.oneStopper, ordering: .releasing)
        return
      }
      old = current
    }
  }

  /// Announces a run. The loop's thread.
  func announce() {
    var old = word.load(ordering: .relaxed)
    var waits = 0
    while true {
      if old & Self.allStoppers != 0 && waits < Self.longestWait {
        System.giveWay()
        waits += 1
        old = word.load(ordering: .relaxed)
        continue
      }
      let (isSwapped, current) = word.weakCompareExchange(
        expected: old, desired: old | Self.isAnnounced,
        successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if isSwapped { return }
      old = current
    }
  }

  /// A run has begun: true if it is to be stopped at once. The loop's thread.
  func begin() -> Bool {
    let old = replace { old in
      let isOurs = old & Self.isAnnounced != 0
      return (isOurs ? old & ~(Self.isAnnounced | Self.isWaiting) : old) + Self.oneRun
    }
    return old & Self.isAnnounced != 0 && old & Self.isWaiting != 0
  }

  /// A run has ended. The loop's thread.
  func end() {
    // What is counted was begun: a run that was not watched from its beginning is not counted.
    replace { $0 >= Self.oneRun ? $0 - Self.oneRun : $0 }
  }

  /// The call that announced a run returns: true if the run never began, for its mode is empty, and
  /// a stop came for it. One that came too late for a run that did begin is used up. The loop's
  /// thread.
  func conclude() -> Bool {
    let old = replace { $0 & ~(Self.isAnnounced | Self.isWaiting) }
    return old & Self.isAnnounced != 0 && old & Self.isWaiting != 0
  }

  @discardableResult
  private func replace(_ change: (UInt) -> UInt) -> UInt {
    var old = word.load(ordering: .relaxed)
    while true {
      let (isSwapped, current) = word.weakCompareExchange(
        expected: old, desired: change(old),
        successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if isSwapped { return old }
      old = current
    }
  }
}
