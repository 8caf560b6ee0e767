import Gyre

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A thread that does what other threads hand to its loop, until it is told to end.
struct Worker {
  let loop: EventLoop
  private let thread: pthread_t

  init() throws(SystemError) {
    let start = Start()
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(start)
    let error = pthread_create(&thread, nil, { Worker.run($0) }, argument.toOpaque())
    if error != 0 {
      argument.release()
      errno = error
      throw SystemError("a thread")
    }
    loop = start.wait()
    self.thread = thread
  }

  /// Ends the thread once it has done what it was handed before.
  func end() {
    // A stop finds the run that is meant even if that has not begun yet.
    try? loop.perform(in: .default) { EventLoop.current.stop() }
    pthread_join(thread, nil)
  }

  private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
    let loop = EventLoop.current
    // A loop with nothing to wait for would return at once. This source is never signalled.
    let idle = EventLoop.Source {}
    do {
      try loop.add(idle, to: .default)
    } catch {
      Terminal.complain("the worker: \(error)")
    }
    start.tell(loop)
    loop.run()
    idle.invalidate()
    return nil
  }
}

/// The loop of a thread, on its way to the thread that started it.
///
/// Unchecked: the semaphore is posted after the loop is written and waited for before it is read.
private final class Start: @unchecked Sendable {
  private var loop: EventLoop?
  private let isKnown = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(isKnown, 0, 0) }

  deinit {
    sem_destroy(isKnown)
    isKnown.deallocate()
  }

  func tell(_ loop: EventLoop) {
    self.loop = loop
    sem_post(isKnown)
  }

  func wait() -> EventLoop {
    while sem_wait(isKnown) != 0 {}
    return loop ?? .current
  }
}
