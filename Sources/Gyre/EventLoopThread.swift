import Synchronization

/// A thread that runs a loop until it is told to end.
///
///     let worker = try EventLoopThread(name: "worker")
///     try worker.perform { … }        // on its thread, in order
///     worker.finish()                 // when that is done
///     try worker.join()
///
/// The thread begins when the object is made. Its loop runs in the default mode, and waits there
/// also when it has nothing to serve. To put a timer on it, or another item, make that there:
///
///     try worker.perform {
///       try? EventLoop.current.add(EventLoop.Timer(every: .seconds(1)) { … }, to: .default)
///     }
///
/// Whoever makes the object owns the thread and has to hold it: when nobody does any more the
/// thread ends, as by ``stop()``. Neither the thread nor its loop, nor whoever holds ``loop``,
/// keeps it.
///
/// - Threads: any, where a member does not say otherwise.
/// - Since: 0.1.
/// - Stands on: `GYRunLoopRun`, `GYRunLoopWindDown`.
public final class EventLoopThread: Sendable {
  /// The name that the thread was made with.
  ///
  /// - Since: 0.1.
  public let name: String

  /// The loop of the thread.
  ///
  /// ``EventLoop/stop()`` ends the run that it is in, and another begins: the thread is ended by
  /// ``stop()`` or ``finish()``. When it has ended the loop is not alive.
  ///
  /// - Since: 0.1.
  public let loop: EventLoop

  private let thread: SystemThread
  private let inFlight = Tally()
  /// Cleared when the thread is told to end. Relaxed, as only the flag itself is agreed upon.
  private let isOpen = Atomic<Bool>(true)

  /// Makes a thread and waits until its loop is there.
  ///
  /// - Parameters:
  ///   - name: What tools show the thread as, as far as it fits into 15 bytes of UTF-8. Without one
  ///     it has the name of the thread that makes it.
  ///   - clock: What its loop goes by; nil for real time.
  /// - Threads: any.
  /// - Blocking: until the thread has begun.
  /// - Errors: what the system refuses: a thread (`EAGAIN`), descriptors, memory;
  ///   ``GyreError/busy`` where the clock advances itself for another loop.
  /// - Since: 0.1.
  /// - Stands on: `pthread_create`, `GYRunLoopGetCurrent`, `GYRunLoopSetClock`.
  public convenience init(
    name: String = "", clock: EventLoop.ManualClock? = nil
  ) throws(GyreError) {
    try self.init(name: name, shownAs: ThreadName(name), clock: clock)
  }

  init(
    name: String, shownAs shownName: ThreadName, clock: EventLoop.ManualClock? = nil
  ) throws(GyreError) {
    self.name = name
    (thread, loop) = try Worker.start(name: shownName, clock: clock)
  }

  deinit { loop.windDown() }
}

extension EventLoopThread {
  /// Hands the thread a closure, to be called there when its loop next runs in one of the modes,
  /// and wakes it.
  ///
  /// As ``EventLoop/perform(in:_:)-(EventLoop.Modes,_)`` of ``loop``, whose other forms serve too;
  /// but ``pendingCount`` counts what is handed over here, and a thread that has been told to end
  /// takes nothing.
  ///
  /// - Threads: any.
  /// - Callout: later, `work`, on the thread. Where that ends first, `work` is let go without being
  ///   called.
  /// - Blocking: never.
  /// - Errors: ``GyreError/loopEnded``, also after ``stop()`` and ``finish()``;
  ///   ``GyreError/noMemory``; ``GyreError/invalid`` where no mode is named.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerform` and `GYRunLoopWakeUp`.
  public func perform(
    in modes: EventLoop.Modes = .common, _ work: @escaping @Sendable () -> Void
  ) throws(GyreError) {
    guard isAccepting else { throw .loopEnded }
    let mark = Tally.Mark(inFlight)
    try loop.perform(in: modes) {
      // Counted until the closure is let go, which is right after the call.
      withExtendedLifetime(mark) { work() }
    }
  }

  /// How many closures that ``perform(in:_:)`` was given have not returned yet: those that wait,
  /// and those in progress.
  ///
  /// - Threads: any; the number may be old when it arrives.
  /// - Since: 0.1.
  public var pendingCount: Int { inFlight.count }

  /// Whether the thread has not been told to end.
  var isAccepting: Bool { isOpen.load(ordering: .relaxed) && !loop.isWindingDown }
}

extension EventLoopThread {
  /// Ends the thread as soon as it may: what is called at the moment returns, its runs end after
  /// their iteration, nested ones too, and no other begins.
  ///
  /// Closures that have not had their turn by then are let go without being called, and whoever
  /// waits for one is told ``GyreError/loopEnded``. No other thread is concerned. More than once
  /// does nothing more.
  ///
  /// - Threads: any, the thread itself included.
  /// - Blocking: never; see ``join()``.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopWindDown`.
  public func stop() {
    isOpen.store(false, ordering: .relaxed)
    loop.windDown()
  }

  /// Ends the thread when it has called the closures that were handed over before, so far as they
  /// are for the default mode or the common modes and have no delay.
  ///
  /// From now on ``perform(in:_:)`` refuses. What comes to the loop in another way meanwhile may be
  /// called or not. Timers and sources do not hold up the end; a run nested in a closure does.
  /// ``stop()`` may follow, for less patience. Where memory is out this is ``stop()``.
  ///
  /// - Threads: any, the thread itself included.
  /// - Blocking: never; see ``join()``.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopPerform` and `GYRunLoopWindDown`.
  public func finish() {
    isOpen.store(false, ordering: .relaxed)
    let loop = loop
    do throws(GyreError) {
      try loop.perform(in: .default) { loop.windDown() }
    } catch {
      loop.windDown()
    }
  }

  /// Waits until the thread has ended and everything of it is gone: its loop is not alive, its
  /// descriptors are closed.
  ///
  /// It does not make the thread end. Several threads may wait; when it has ended, all return at
  /// once.
  ///
  /// - Threads: any but the thread itself. In the child of a fork it returns at once, for there is
  ///   no such thread.
  /// - Blocking: until the thread has ended.
  /// - Errors: ``GyreError/wouldDeadlock`` on the thread itself.
  /// - Since: 0.1.
  /// - Stands on: `pthread_join`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  public func join() throws(GyreError) {
    try thread.join()
  }
}
