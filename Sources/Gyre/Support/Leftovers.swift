internal import CGyre
import Synchronization

/// What is to be let go on a loop's thread, and comes when that is about to take the loop down: the
/// loop takes nothing any more, and the thread may still be in a call.
///
/// A stack without a lock: whoever takes from it takes all.
struct Leftovers: ~Copyable {
  private struct Entry {
    let cell: UnsafeMutableRawPointer
    let end: GYPerformFunction
    let next: UnsafeMutablePointer<Entry>?
  }

  private let newest = Atomic<UnsafeMutablePointer<Entry>?>(nil)

  init() {}

  /// Any thread.
  func add(_ cell: UnsafeMutableRawPointer, _ end: @escaping GYPerformFunction) {
    let entry = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
    var next = newest.load(ordering: .relaxed)
    while true {
      entry.initialize(to: Entry(cell: cell, end: end, next: next))
      // Release: pairs with the acquire in `letGo`.
      let (isDone, current) = newest.weakCompareExchange(
        expected: next, desired: entry, successOrdering: .releasing, failureOrdering: .relaxed)
      if isDone { return }
      next = current
    }
  }

  /// The loop's thread when the loop is dead, or any after that.
  func letGo() {
    var rest = newest.exchange(nil, ordering: .acquiring)
    while let entry = rest {
      let (cell, end) = (entry.pointee.cell, entry.pointee.end)
      rest = entry.pointee.next
      entry.deallocate()
      end(cell)
    }
  }
}

extension EventLoop {
  /// Has something let go on the loop's thread, when that next runs the loop in a common mode, or
  /// ends; a loop that sleeps there is woken. Any thread.
  ///
  /// - Parameters:
  ///   - end: lets it go on the loop's thread.
  ///   - endAfterwards: lets it go when the thread makes no calls any more.
  func handBack(
    _ cell: UnsafeMutableRawPointer, _ end: @escaping GYPerformFunction,
    afterwards endAfterwards: @escaping GYPerformFunction
  ) {
    guard isAlive else { return endAfterwards(cell) }
    System.errorNumber = 0
    let common = UnsafeRawPointer(kGYRunLoopCommonModes)
    if GYRunLoopPerform(reference, common, { _ in }, cell, end) {
      // A loop may sleep for long, and what a closure holds may be worth much.
      GYRunLoopWakeUp(reference)
      return
    }
    // For want of memory it is rather kept than taken from under a call.
    if System.errorNumber == System.noMemory { return }
    leftovers.add(cell, endAfterwards)
    // Either the thread finds it, or this finds that the loop is dead: pairs with the fence in
    // `threadHasEnded`.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if !isAlive { leftovers.letGo() }
  }

  /// The loop's thread, when the loop is dead.
  func threadHasEnded() {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    leftovers.letGo()
  }
}
