internal import CGyre

extension EventLoop {
  /// Calls a closure when the program has signalled that there is something to do.
  ///
  /// The usual way to tell a loop from another thread that something has come, without handing it a
  /// closure each time: signal, then wake the loop.
  ///
  ///     source.signal()
  ///     source.loop.wakeUp()
  ///
  /// Many signals before the closure is called are one; a signal while it is called asks for one
  /// more call. A source also keeps its modes from being empty, signalled or not.
  ///
  /// - Threads: made on the thread of the loop that it is for; its members may be used on any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopSourceRef` with a context of version 0.
  public final class Source: Item, @unchecked Sendable {
    override class var kind: ItemKind { .source }
    private let callback: SourceCallback

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - order: Of the sources signalled, lower ones are performed first; equal ones in the order
    ///     in which they were signalled.
    ///   - schedule: Called with loop and mode when the source has entered a mode, on the thread
    ///     that added it or made the mode a common one.
    ///   - cancel: Called likewise when it has left one, by removal, invalidation or the end of the
    ///     thread.
    ///   - perform: Called on the thread that makes the source.
    /// - Threads: that of the loop that the source is for.
    /// - Since: 0.1.
    /// - Stands on: `GYRunLoopSourceCreate`.
    public init(
      order: Int = 0,
      schedule: (@Sendable (EventLoop, Mode) -> Void)? = nil,
      cancel: (@Sendable (EventLoop, Mode) -> Void)? = nil,
      perform: @escaping () -> Void
    ) {
      let loop = EventLoop.current
      callback = SourceCallback(loop: loop, perform: perform, schedule: schedule, cancel: cancel)
      var context = GYRunLoopSourceContext()
      context.info = callback.retained()
      context.release = { Callback.end($0) }
      context.perform = { info in Callback.call(info, as: SourceCallback.self) { $0.perform?() } }
      if schedule != nil {
        context.schedule = { info, _, mode in SourceCallback.tell(\.schedule, info, mode) }
      }
      if cancel != nil {
        context.cancel = { info, _, mode in SourceCallback.tell(\.cancel, info, mode) }
      }
      super.init(loop: loop, reference: GYRunLoopSourceCreate(nil, order, &context))
    }

    override func wasInvalidated() { Callback.end(callback.retained()) }
  }
}

private final class SourceCallback: Callback {
  typealias Change = @Sendable (EventLoop, EventLoop.Mode) -> Void

  private(set) var perform: (() -> Void)?
  let schedule: Change?
  let cancel: Change?

  init(loop: EventLoop, perform: @escaping () -> Void, schedule: Change?, cancel: Change?) {
    self.perform = perform
    self.schedule = schedule
    self.cancel = cancel
    super.init(loop: loop)
  }

  override func letGo() { perform = nil }

  /// A source is in modes of the loop that it was made for alone. Any thread.
  static func tell(
    _ change: KeyPath<SourceCallback, Change?>, _ info: UnsafeMutableRawPointer?,
    _ mode: OpaquePointer?
  ) {
    guard let info, let mode else { return }
    let (closure, loop) = ask(info, as: SourceCallback.self) { ($0[keyPath: change], $0.loop) }
    closure?(loop, EventLoop.Mode(borrowed: mode))
  }
}

extension EventLoop.Source {
  /// Marks the source to be performed by the next pass of a run in one of its modes. It wakes no
  /// loop: from another thread follow it with ``EventLoop/wakeUp()``.
  ///
  /// - Threads: any. Async-signal-safe for a source that is held elsewhere, such as in a global: it
  ///   takes no lock, allocates nothing and keeps `errno`.
  /// - Blocking: never.
  /// - Errors: an invalid source is left as it is.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopSourceSignal`.
  public func signal() {
    GYRunLoopSourceSignal(reference)
  }

  /// The order that the source was made with.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopSourceGetOrder`.
  public var order: Int { GYRunLoopSourceGetOrder(reference) }
}
