import Synchronization

/// Several threads that run loops, to spread work over.
///
///     let group = try EventLoopGroup(count: 4, name: "io")
///     let connections = group.next().loop          // in turn
///     try group.leastBusy.perform { … }            // where the least is waiting
///     try group.shutDown()                         // when all that is done
///
/// The group owns its threads: when nobody holds it any more they end, as by ``stop()``, but for
/// those that somebody holds for themselves.
///
/// - Threads: any, where a member does not say otherwise.
/// - Since: 0.1.
/// - Stands on: ``EventLoopThread``.
public final class EventLoopGroup: Sendable {
  /// The threads of the group, always the same.
  ///
  /// - Since: 0.1.
  public let threads: [EventLoopThread]

  /// How many turns have been given. Relaxed: it is a number alone.
  private let turns = Atomic<UInt>(0)

  /// Makes a group and its threads and waits until their loops are there.
  ///
  /// - Parameters:
  ///   - count: How many threads, at least one.
  ///   - name: The threads are called so with their number, from 1: `io-1`, `io-2`. Tools show the
  ///     number in any case, and as much of the name as fits.
  /// - Threads: any.
  /// - Blocking: until the threads have begun.
  /// - Errors: ``GyreError/invalid`` for less than one thread; what the system refuses, and then
  ///   the threads that were made end.
  /// - Since: 0.1.
  /// - Stands on: ``EventLoopThread/init(name:clock:)``.
  public init(count: Int, name: String = "loop") throws(GyreError) {
    guard count > 0 else { throw .invalid }
    var threads: [EventLoopThread] = []
    for number in 1...count {
      let shownName = ThreadName(name, number: number)
      threads.append(try EventLoopThread(name: "\(name)-\(number)", shownAs: shownName))
    }
    self.threads = threads
  }
}

extension EventLoopGroup {
  /// The threads in turn, for what is to be spread evenly.
  ///
  /// - Threads: any; of several callers each gets a turn of its own. Takes no lock.
  /// - Since: 0.1.
  public func next() -> EventLoopThread {
    let turn = turns.wrappingAdd(1, ordering: .relaxed).oldValue
    return threads[Int(turn % UInt(threads.count))]
  }

  /// The thread with the fewest closures in flight: those that
  /// ``EventLoopThread/perform(in:_:)`` was given and that have not returned
  /// (``EventLoopThread/pendingCount``). Of equal ones the first of ``threads``.
  ///
  /// Timers, sources and what is handed to a loop in another way do not count. Threads that have
  /// been told to end are left out, as long as there are others.
  ///
  /// - Threads: any; several callers at once may get the same one. Takes no lock.
  /// - Since: 0.1.
  public var leastBusy: EventLoopThread {
    var best = threads[0]
    var least = Int.max
    for thread in threads where thread.isAccepting {
      let count = thread.pendingCount
      if count < least { (best, least) = (thread, count) }
    }
    return best
  }
}

extension EventLoopGroup {
  /// Ends all threads as soon as they may, as ``EventLoopThread/stop()`` does: closures that have
  /// not had their turn are let go.
  ///
  /// - Threads: any, those of the group included.
  /// - Blocking: never; see ``join()``.
  /// - Since: 0.1.
  /// - Stands on: ``EventLoopThread/stop()``.
  public func stop() {
    for thread in threads { thread.stop() }
  }

  /// Ends all threads when they have called what they were given, as ``EventLoopThread/finish()``
  /// does, and waits until they have ended.
  ///
  /// What a closure then wants to hand to a thread of the group is refused with
  /// ``GyreError/loopEnded``. For less patience call ``stop()`` from another thread, meanwhile or
  /// instead.
  ///
  /// - Threads: any but those of the group.
  /// - Blocking: until all threads have ended.
  /// - Errors: ``GyreError/wouldDeadlock`` on a thread of the group, and then nothing is done.
  /// - Since: 0.1.
  /// - Stands on: ``EventLoopThread/finish()``, ``EventLoopThread/join()``.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  public func shutDown() throws(GyreError) {
    try refuseOnMember()
    for thread in threads { thread.finish() }
    try join()
  }

  /// Waits until all threads have ended. It does not make them end.
  ///
  /// - Threads: any but those of the group.
  /// - Blocking: until all threads have ended.
  /// - Errors: ``GyreError/wouldDeadlock`` on a thread of the group.
  /// - Since: 0.1.
  /// - Stands on: ``EventLoopThread/join()``.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  public func join() throws(GyreError) {
    try refuseOnMember()
    for thread in threads { try thread.join() }
  }

  private func refuseOnMember() throws(GyreError) {
    if threads.contains(where: { $0.loop.isCurrent }) { throw .wouldDeadlock }
  }
}
