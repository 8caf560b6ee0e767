internal import CGyre

/// Watches the runs of a loop, so that a stop finds the one that it is meant for.
///
/// Two observers of the C library, around all others: one at Entry, one at Exit. They are added to
/// the modes that the loop is run in. Neither keeps a mode from being empty.
///
/// Unchecked: the pointers do not change, and the word is atomic.
final class StopGate: @unchecked Sendable {
  private let owner: Reference
  private let word = StopWord()
  private var entry: OpaquePointer?
  private var exit: OpaquePointer?

  private var loop: OpaquePointer { owner.pointer }

  init(loop: Reference) {
    owner = loop
    // Unretained: the gate invalidates its observers before it goes.
    let me = Unmanaged.passUnretained(self).toOpaque()
    var context = GYRunLoopObserverContext(
      version: 0, info: me, retain: nil, release: nil, copyDescription: nil)
    entry = GYRunLoopObserverCreate(
      nil, GYOptionFlags(kGYRunLoopEntry), 1, .min, { _, _, me in StopGate.at(me) { $0.begin() } },
      &context)
    exit = GYRunLoopObserverCreate(
      nil, GYOptionFlags(kGYRunLoopExit), 1, .max,
      { _, _, me in StopGate.at(me) { $0.word.end() } },
      &context)
  }

  deinit {
    for observer in [entry, exit] {
      guard let observer else { continue }
      GYRunLoopObserverInvalidate(observer)
      GYRelease(UnsafeRawPointer(observer))
    }
  }

  /// Watches the default mode, which C code is the most likely to run. From now on the gate has to
  /// live as long as the loop's thread.
  func start() {
    _ = watch(kGYRunLoopDefaultMode)
  }

  private static func at(_ me: UnsafeMutableRawPointer?, _ body: (StopGate) -> Void) {
    guard let me else { return }
    Unmanaged<StopGate>.fromOpaque(me)._withUnsafeGuaranteedRef(body)
  }

  private func begin() {
    if word.begin() { GYRunLoopStop(loop) }
  }

  /// Any thread, also in a signal handler.
  func stop() {
    word.stop { GYRunLoopStop(loop) }
  }

  /// Runs the loop in a mode by way of `body`; a stop that comes from now on is for this run. The
  /// loop's thread.
  ///
  /// - Returns: what `body` did, or Stopped where the mode was empty and a stop was waiting.
  func run(in mode: OpaquePointer, _ body: () -> GYRunLoopRunResult) -> GYRunLoopRunResult {
    let watching = watch(mode)
    word.announce()
    // A mode that is not watched does not tell that a run has begun.
    if watching == .refused && word.conclude() { return stopped }
    let result = watching == .noMode ? resultWithoutMode : body()
    return word.conclude() ? stopped : result
  }

  private var stopped: GYRunLoopRunResult { GYRunLoopRunResult(kGYRunLoopRunStopped) }

  /// The C library is not asked to run a mode that did not exist: another thread may make it
  /// meanwhile, and the run would begin untold.
  private var resultWithoutMode: GYRunLoopRunResult {
    GYRunLoopIsWindingDown(loop) ? stopped : GYRunLoopRunResult(kGYRunLoopRunFinished)
  }

  private enum Watching {
    /// Runs in the mode are told from now on, or it is a name that cannot be run.
    case goesOn
    /// The mode does not exist, and is not made.
    case noMode
    /// For want of memory.
    case refused
  }

  /// The loop's thread, or any before the gate is used.
  private func watch(_ mode: OpaquePointer) -> Watching {
    guard let exit else { return .refused }
    if mode == kGYRunLoopCommonModes { return .goesOn }
    if GYRunLoopContainsObserver(loop, exit, mode) != 0 { return .goesOn }
    guard let exists = exists(mode) else { return .refused }
    if !exists { return .noMode }
    return follow(mode) ? .goesOn : .refused
  }

  /// Watches a mode from now on, which is made if it does not exist; false for want of memory. The
  /// loop's thread.
  func follow(_ mode: OpaquePointer) -> Bool {
    guard let entry, let exit else { return false }
    GYRunLoopAddObserver(loop, entry, mode)
    if GYRunLoopContainsObserver(loop, entry, mode) == 0 { return false }
    GYRunLoopAddObserver(loop, exit, mode)
    if GYRunLoopContainsObserver(loop, exit, mode) != 0 { return true }
    GYRunLoopRemoveObserver(loop, entry, mode)
    return false
  }

  /// Nil where memory is out.
  private func exists(_ mode: OpaquePointer) -> Bool? {
    guard let modes = GYRunLoopCopyAllModes(loop) else { return nil }
    defer { GYRelease(UnsafeRawPointer(modes)) }
    let all = GYRange(location: 0, length: GYArrayGetCount(modes))
    return GYArrayContainsValue(modes, all, UnsafeRawPointer(mode)) != 0
  }
}
