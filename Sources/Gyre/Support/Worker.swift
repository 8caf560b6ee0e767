/// What a thread of the module does: it makes its loop, tells who started it, and runs until the
/// loop is wound down.
///
/// It keeps nothing of whoever owns the thread, so that an owner can be dropped while it runs.
enum Worker {
  /// Starts a thread and waits for its loop, which is alive and about to run.
  static func start(
    name: ThreadName, clock: EventLoop.ManualClock?
  ) throws(GyreError) -> (thread: SystemThread, loop: EventLoop) {
    let answer = Promise<Result<EventLoop, GyreError>>()
    let thread = try SystemThread { work(name, clock, answer) }
    switch answer.wait() {
    case .success(let loop): return (thread, loop)
    case .failure(let error):
      try thread.join()
      throw error
    }
  }

  private static func work(
    _ name: ThreadName, _ clock: EventLoop.ManualClock?,
    _ answer: Promise<Result<EventLoop, GyreError>>
  ) {
    name.apply()
    let loop = EventLoop.current
    do throws(GyreError) {
      guard loop.isAlive else { throw .noMemory }
      if let clock { try loop.setClock(clock) }
      // A loop with nothing else in it waits all the same.
      try loop.add(EventLoop.Source {}, to: .default)
    } catch {
      return answer.keep(.failure(error))
    }
    answer.keep(.success(loop))
    // A stop is for one run, and this thread has more of them.
    while !loop.isWindingDown { loop.run(mode: .default) }
  }
}
