internal import CGyre

extension EventLoop {
  /// Calls a closure once, when a process ends: a child, whose status it takes, or any other.
  ///
  ///     let source = try EventLoop.ProcessSource(child) { end in print(end) }
  ///     try loop.add(source, to: .default)
  ///
  /// No other child is waited for. A child that ended before, and that nobody has waited for, is
  /// told too. The source is invalid from the call on; one that is invalidated before leaves the
  /// process, and its status, alone.
  ///
  /// - Threads: made on the thread of the loop that it is for; its members may be used on any.
  /// - Since: 0.1.
  /// - Stands on: `GYProcessCreateRunLoopSource`.
  public final class ProcessSource: Item, @unchecked Sendable {
    override class var kind: ItemKind { .source }
    private let callback: ProcessCallback

    /// The number of the process.
    ///
    /// - Since: 0.1.
    public let process: Int32

    /// Makes a source for a process.
    ///
    /// - Parameters:
    ///   - process: Its number, which is above zero.
    ///   - leavingStatus: The status of the child stays for the program's own wait, and the child a
    ///     zombie until then.
    ///   - perform: Called on the thread that makes the source, and let go after that.
    /// - Threads: that of the loop that the source is for.
    /// - Errors: ``GyreError/invalid`` for a number of zero or less, reported as well; `ESRCH` where
    ///   there is no such process; `ENOSYS` for one that is no child, where the kernel has no
    ///   descriptors of processes; what the system refuses.
    /// - Since: 0.1.
    /// - Stands on: `GYProcessCreateRunLoopSource`.
    public init(
      _ process: Int32, leavingStatus: Bool = false, perform: @escaping (End) -> Void
    ) throws(GyreError) {
      let loop = EventLoop.current
      callback = ProcessCallback(loop: loop, perform: perform)
      self.process = process
      var context = callback.context()
      let source = GYProcessCreateRunLoopSource(
        nil, process, leavingStatus ? GYOptionFlags(kGYProcessLeaveStatus) : 0, 0,
        { _, end, info in
          guard let end else { return }
          Callback.call(info, as: ProcessCallback.self) { $0.take()?(End(end.pointee)) }
        }, &context)
      guard let source else { throw GyreError(errno: System.errorNumber) }
      super.init(loop: loop, reference: source)
    }

    override func wasInvalidated() { Callback.end(callback.retained()) }
  }
}

private final class ProcessCallback: Callback {
  private var perform: ((EventLoop.ProcessSource.End) -> Void)?

  init(loop: EventLoop, perform: @escaping (EventLoop.ProcessSource.End) -> Void) {
    self.perform = perform
    super.init(loop: loop)
  }

  /// It is called once.
  func take() -> ((EventLoop.ProcessSource.End) -> Void)? {
    defer { perform = nil }
    return perform
  }

  override func letGo() { perform = nil }
}

extension EventLoop.ProcessSource {
  /// How a process ended.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYProcessEnd`.
  public enum End: Hashable, Sendable {
    /// It returned, or called `exit`, with a code.
    ///
    /// - Since: 0.1.
    case exited(code: Int32)
    /// A signal ended it, and may have left an image of its memory.
    ///
    /// - Since: 0.1.
    case signalled(Int32, dumpedCore: Bool)
    /// It is over, and no more is known: it is no child of this process, or somebody else has taken
    /// its status.
    ///
    /// - Since: 0.1.
    case unknown

    init(_ end: GYProcessEnd) {
      self =
        switch end.outcome {
        case kGYProcessExited: .exited(code: end.code)
        case kGYProcessSignalled: .signalled(end.code, dumpedCore: end.dumpedCore != 0)
        default: .unknown
        }
    }
  }
}
