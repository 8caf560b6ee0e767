internal import CGyre

extension EventLoop {
  /// Calls a closure for each signal of one number that the process gets.
  ///
  ///     let hangUp = try EventLoop.SignalSource(SIGHUP) { _ in reload() }
  ///     try loop.add(hangUp, to: .common)
  ///
  /// Any number of sources, on any loops, each hear of each signal. A handler that was installed
  /// before is called as well; a signal that was ignored, or would have ended the process, calls
  /// the closures and does nothing else. The earlier handler is back when the last source of the
  /// signal has been invalidated or is gone. See <doc:SignalsAndProcesses>.
  ///
  /// - Threads: made on the thread of the loop that it is for; its members may be used on any.
  /// - Since: 0.1.
  /// - Stands on: `GYSignalCreateRunLoopSource`.
  public final class SignalSource: Item, @unchecked Sendable {
    override class var kind: ItemKind { .source }
    private let callback: SignalCallback

    /// The number of the signal.
    ///
    /// - Since: 0.1.
    public let signal: Int32

    /// Makes a source for a signal. What comes from now on is kept for it, also before it is added.
    ///
    /// - Parameters:
    ///   - signal: Any but those that cannot be caught (`SIGKILL`, `SIGSTOP`), those that a fault of
    ///     the program raises, and those that the C library keeps for itself.
    ///   - perform: Called with one signal at a time, on the thread that makes the source.
    /// - Threads: that of the loop that the source is for.
    /// - Errors: ``GyreError/invalid`` for a signal that cannot be watched, reported as well; what
    ///   the system refuses.
    /// - Since: 0.1.
    /// - Stands on: `GYSignalCreateRunLoopSource`.
    public init(_ signal: Int32, perform: @escaping (Signal) -> Void) throws(GyreError) {
      let loop = EventLoop.current
      callback = SignalCallback(loop: loop, perform: perform)
      self.signal = signal
      var context = callback.context()
      let source = GYSignalCreateRunLoopSource(
        nil, signal, 0,
        { _, signal, info in
          guard let signal else { return }
          Callback.call(info, as: SignalCallback.self) { $0.perform?(Signal(signal.pointee)) }
        }, &context)
      guard let source else { throw GyreError(errno: System.errorNumber) }
      super.init(loop: loop, reference: source)
    }

    override func wasInvalidated() { Callback.end(callback.retained()) }
  }
}

private final class SignalCallback: Callback {
  private(set) var perform: ((EventLoop.SignalSource.Signal) -> Void)?

  init(loop: EventLoop, perform: @escaping (EventLoop.SignalSource.Signal) -> Void) {
    self.perform = perform
    super.init(loop: loop)
  }

  override func letGo() { perform = nil }
}

extension EventLoop.SignalSource {
  /// One signal that has come. What its sender did not give is 0.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYSignalInfo`.
  public struct Signal: Hashable, Sendable {
    /// The number of the signal.
    ///
    /// - Since: 0.1.
    public let number: Int32
    /// How it was sent: `SI_USER`, `SI_QUEUE`, `CLD_EXITED` and so on.
    ///
    /// - Since: 0.1.
    public let code: Int32
    /// The process that sent it, or the child that `SIGCHLD` tells of.
    ///
    /// - Since: 0.1.
    public let process: Int32
    /// The user that sent it.
    ///
    /// - Since: 0.1.
    public let user: UInt32
    /// Of `SIGCHLD`: the exit code, or the signal that ended or stopped the child.
    ///
    /// - Since: 0.1.
    public let status: Int32
    /// What `sigqueue` or a timer of the system gave along.
    ///
    /// - Since: 0.1.
    public let value: UInt64
    /// How many signals before this one found the queue of the source full, and are not told.
    ///
    /// - Since: 0.1.
    public let lost: UInt64

    init(_ info: GYSignalInfo) {
      number = info.signal
      code = info.code
      process = info.pid
      user = info.uid
      status = info.status
      value = info.value
      lost = info.lost
    }
  }
}
