extension EventLoop {
  /// Runs the loop in one mode until a condition is true.
  ///
  ///     loop.run(mode: .default, for: .seconds(5)) { child.hasEnded }
  ///
  /// The condition is asked before the run, then in each pass before it begins and before it waits,
  /// and once more where the run ends without it. Nothing wakes the loop for that: what makes the
  /// condition true on another thread has to hand the loop something, or to call ``wakeUp()``. An
  /// empty mode is waited in too. A ``stop()`` does not end it; ``windDown()`` does.
  ///
  /// - Parameters:
  ///   - mode: A mode, which may be empty. The name that stands for the common modes is refused,
  ///     and reported once in a process.
  ///   - duration: How long it may take as a whole. Zero and less make one pass that does not wait;
  ///     nil sets no bound.
  ///   - condition: Called on this thread. It is not to run the loop.
  /// - Returns: whether the condition was true; if not, the time was over, the runs of the loop
  ///   have ended for good, or the call was refused.
  /// - Threads: the loop's own; on another one it does nothing, gives false and reports that.
  /// - Callout: `condition`, and everything that the mode holds.
  /// - Blocking: up to `duration`.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopRunInModeNanoseconds`.
  @available(*, noasync, message: "it would block a thread of the concurrency runtime")
  @discardableResult
  public func run(
    mode: Mode, for duration: Duration? = nil, until condition: () -> Bool
  ) -> Bool {
    guard isOwn("EventLoop.run(mode:for:until:)") else { return false }
    if condition() { return true }
    return withoutActuallyEscaping(condition) { run(ConditionWatch(self, $0), mode, duration) }
  }

  private func run(_ watch: ConditionWatch, _ mode: Mode, _ duration: Duration?) -> Bool {
    let deadline = Monotonic.nanoseconds(after: max(duration ?? .nanoseconds(Int64.max), .zero))
    defer { watch.end() }
    do { try watch.begin(in: mode) } catch { return false }
    while !isWindingDown {
      let rest = duration == nil ? Int64.max : deadline - Monotonic.now
      let result = run(mode: mode, for: .nanoseconds(rest))
      // The mode is not empty: one that is finished cannot be run.
      if watch.isTrue || result == .finished { return watch.isTrue }
      if result == .timedOut || rest <= 0 { break }
    }
    return watch.asksOnceMore()
  }
}

/// Asks for the condition in each pass of one run, and not in the runs inside it.
private final class ConditionWatch {
  private(set) var isTrue = false
  private let loop: EventLoop
  private let condition: () -> Bool
  private var depth = 0
  private var observer: EventLoop.Observer?
  /// Keeps the mode from being empty.
  private let idle = EventLoop.Source {}

  init(_ loop: EventLoop, _ condition: @escaping () -> Bool) {
    self.loop = loop
    self.condition = condition
  }

  func begin(in mode: EventLoop.Mode) throws(GyreError) {
    let activities: EventLoop.Activity = [.entry, .beforeTimers, .beforeWaiting, .exit]
    let observer = EventLoop.Observer(activities, order: .max) { [unowned self] in pass($0) }
    self.observer = observer
    try loop.add(idle, to: mode)
    try loop.add(observer, to: mode)
  }

  func end() {
    idle.invalidate()
    observer?.invalidate()
  }

  /// What the last pass served may have made it true.
  func asksOnceMore() -> Bool { condition() }

  private func pass(_ activity: EventLoop.Activity) {
    switch activity {
    case .entry: depth += 1
    case .exit: depth -= 1
    default: if depth == 1 && !isTrue { ask() }
    }
  }

  private func ask() {
    isTrue = condition()
    if isTrue { loop.stop() }
  }
}
