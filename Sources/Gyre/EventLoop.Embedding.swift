internal import CGyre

extension EventLoop {
  /// A mode of a loop as one descriptor, for a thread that waits in the loop of another library.
  ///
  /// The other loop, the host, watches ``descriptor`` for input, level-triggered. Before it waits it
  /// calls ``prepare()``, and when the descriptor is readable ``dispatch()``. Together the two make
  /// one iteration of a run, whose wait is the host's:
  ///
  ///     let embedding = try EventLoop.Embedding(of: .current, mode: .default)
  ///     defer { embedding.invalidate() }
  ///     while embedding.prepare() == nil {
  ///       waitForInput(on: embedding.descriptor)
  ///       if embedding.dispatch() != nil { break }
  ///     }
  ///
  /// What is let go on the loop's thread is invalidated too.
  ///
  /// - Threads: the loop's own.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopEmbeddingRef`.
  public final class Embedding {
    private let reference: Reference
    private let loop: EventLoop
    private let mode: Mode
    /// Whether a run is in progress, as far as the last call has told.
    private var isInRun = false

    /// Embeds a mode of the calling thread's loop. The mode exists from then on.
    ///
    /// - Throws: ``GyreError/madeForAnotherLoop`` for another thread's loop, ``GyreError/invalid``
    ///   for the name that stands for the common modes; both are reported. ``GyreError/loopEnded``;
    ///   ``GyreError/noMemory``; an error of the system where descriptors are out.
    /// - Threads: the loop's own.
    /// - Since: 0.1.
    /// - Stands on: `GYRunLoopEmbeddingCreate`.
    public init(of loop: EventLoop, mode: Mode) throws(GyreError) {
      guard loop.isAlive, let gate = loop.gate else { throw .loopEnded }
      guard let made = GYRunLoopEmbeddingCreate(loop.reference, mode.handle) else {
        throw GyreError(errno: System.errorNumber)
      }
      reference = Reference(owned: made)
      self.loop = loop
      self.mode = mode
      if gate.follow(mode.handle) { return }
      GYRunLoopEmbeddingInvalidate(made)
      throw .noMemory
    }

    deinit {
      if loop.isCurrent { GYRunLoopEmbeddingInvalidate(reference.pointer) }
    }
  }
}

extension EventLoop.Embedding {
  /// The descriptor that the host watches; -1 when the embedding has been invalidated.
  ///
  /// It is readable while there is something to do: a descriptor is ready, a timer due, a wake-up or
  /// a stop has come, something was added or moved that the loop has to look at, work is left over,
  /// or the next iteration has not been prepared. The host does not read it, and takes it out of its
  /// own set before the embedding is invalidated.
  ///
  /// The number does not change, but in the child of a fork, which gets another.
  ///
  /// - Threads: the loop's own; on another one it gives -1 and reports that.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopEmbeddingGetDescriptor`.
  public var descriptor: Int32 { GYRunLoopEmbeddingGetDescriptor(reference.pointer) }

  /// Does all that comes before the wait: begins a run if none is in progress, and goes through an
  /// iteration up to the observers of ``EventLoop/Activity/beforeWaiting``.
  ///
  /// From then on the loop is asleep, so that wake-ups count, or it has work left, and the
  /// descriptor is readable at once. What has been prepared is not prepared again.
  ///
  /// - Returns: Nil: wait for the descriptor. ``EventLoop/RunResult/finished``: the mode is empty,
  ///   and nothing was called. ``EventLoop/RunResult/stopped``: the run was stopped when it began,
  ///   or the embedding has been invalidated.
  /// - Threads: the loop's own; on another one it does nothing, gives
  ///   ``EventLoop/RunResult/finished`` and reports that. In a closure that the embedding calls it
  ///   does nothing, gives nil and reports that.
  /// - Callout: observers, performed closures, signalled sources.
  /// - Blocking: never.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopEmbeddingPrepare`.
  @available(*, noasync, message: "it runs what is isolated to the loop's thread")
  public func prepare() -> EventLoop.RunResult? {
    if isInRun { return told(GYRunLoopEmbeddingPrepare(reference.pointer)) }
    guard loop.isOwn("EventLoop.Embedding.prepare()"), let gate = loop.gate else {
      return .finished
    }
    // A stop that waits is for this run. The closures that it calls may look here.
    isInRun = true
    return told(gate.run(in: mode.handle) { GYRunLoopEmbeddingPrepare(reference.pointer) })
  }

  /// Does all that comes after the wait: looks what has come, and serves one event.
  ///
  /// Where nothing has come the loop sleeps on, and nobody sees that it was disturbed. An iteration
  /// that is not prepared is prepared first.
  ///
  /// - Returns: Nil: the run goes on, prepare its next iteration. ``EventLoop/RunResult/stopped`` or
  ///   ``EventLoop/RunResult/finished``: it has ended; preparing once more begins another one.
  /// - Threads: as ``prepare()``.
  /// - Callout: everything that the mode holds.
  /// - Blocking: never.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopEmbeddingDispatch`.
  @available(*, noasync, message: "it runs what is isolated to the loop's thread")
  public func dispatch() -> EventLoop.RunResult? {
    if !isInRun, let result = prepare() { return result }
    return told(GYRunLoopEmbeddingDispatch(reference.pointer))
  }

  private func told(_ result: GYRunLoopRunResult) -> EventLoop.RunResult? {
    isInRun = Int(result) == Int(kGYRunLoopEmbeddingGoesOn)
    return isInRun ? nil : EventLoop.RunResult(result)
  }

  /// The moment at which the descriptor becomes readable if nothing but the clock makes it so; nil
  /// where there is no timer. A moment that has passed: it is readable now.
  ///
  /// - Threads: the loop's own; on another one it gives nil and reports that.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopEmbeddingGetNextDeadline`.
  public var nextDeadline: SuspendingClock.Instant? {
    Monotonic.instantIfEver(of: GYRunLoopEmbeddingGetNextDeadline(reference.pointer))
  }

  /// Ends the run, if one is in progress, with the observers of its exit, and closes the descriptor.
  /// In a closure that the embedding calls, that happens when the iteration is over.
  ///
  /// - Threads: the loop's own; on another one it does nothing and reports that. So it does below a
  ///   run that was begun since the embedding was prepared.
  /// - Callout: observers.
  /// - Blocking: never.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopEmbeddingInvalidate`.
  public func invalidate() {
    GYRunLoopEmbeddingInvalidate(reference.pointer)
  }

  /// Whether it can be used: it has not been invalidated, and the loop's thread is there.
  ///
  /// - Threads: the loop's own.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopEmbeddingIsValid`.
  public var isValid: Bool { GYRunLoopEmbeddingIsValid(reference.pointer) }
}
