internal import CGyre

extension EventLoop {
  /// Calls a closure when a file descriptor is ready: a pipe, a socket, a terminal, an eventfd, or
  /// a file, which always is.
  ///
  /// The loop reads and writes nothing itself. While there is something left to read the closure is
  /// called again, one turn in an iteration, so that it may read once and return. After a hang-up
  /// it is called only as long as it reads; the end of the file is told once.
  ///
  /// What a source waits for is fixed when it is made; to wait for something else, such as room to
  /// write, invalidate it and make another one.
  ///
  /// The descriptor stays the caller's, who keeps it open until the source is invalidated or has
  /// left all modes. The closure may find that there is nothing to read after all; a descriptor
  /// that does not block is best.
  ///
  /// - Threads: made on the thread of the loop that it is for; its members may be used on any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopSourceRef` with a context of version 2.
  public final class DescriptorSource: Item, @unchecked Sendable {
    override class var kind: ItemKind { .source }
    private let callback: DescriptorCallback

    /// The descriptor that the source was made for.
    ///
    /// - Since: 0.1.
    public let descriptor: Int32

    /// Makes a source for a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: Borrowed. A negative one makes a source that counts as content of its modes
    ///     and is never called.
    ///   - events: What to wait for; ``Events/hangUp`` and ``Events/failed`` come in any case, but
    ///     for the half of a connection that the other side has closed, which comes when it is
    ///     asked for.
    ///   - perform: Called with what came, on the thread that makes the source.
    /// - Threads: that of the loop that the source is for.
    /// - Since: 0.1.
    /// - Stands on: `GYRunLoopSourceCreate`.
    public init(
      descriptor: Int32, events: Events = .readable, perform: @escaping (Events) -> Void
    ) {
      let loop = EventLoop.current
      callback = DescriptorCallback(loop: loop, descriptor: descriptor, perform: perform)
      var context = GYRunLoopSourceContext2()
      context.version = 2
      context.info = callback.retained()
      context.release = { Callback.end($0) }
      context.getPort = { info in
        guard let info else { return -1 }
        return Callback.ask(info, as: DescriptorCallback.self) { $0.descriptor }
      }
      context.events = events.asked
      context.performEvents = { info, events in
        Callback.call(info, as: DescriptorCallback.self) { $0.perform?(Events(came: events)) }
      }
      self.descriptor = descriptor
      super.init(loop: loop, reference: makeSource(&context))
    }

    override func wasInvalidated() { Callback.end(callback.retained()) }
  }
}

private func makeSource(_ context: inout GYRunLoopSourceContext2) -> OpaquePointer? {
  withUnsafeMutablePointer(to: &context) { context in
    // The C library looks at the version first, which all contexts begin with.
    context.withMemoryRebound(to: GYRunLoopSourceContext.self, capacity: 1) {
      GYRunLoopSourceCreate(nil, 0, $0)
    }
  }
}

private final class DescriptorCallback: Callback {
  let descriptor: Int32
  private(set) var perform: ((EventLoop.DescriptorSource.Events) -> Void)?

  init(
    loop: EventLoop, descriptor: Int32,
    perform: @escaping (EventLoop.DescriptorSource.Events) -> Void
  ) {
    self.descriptor = descriptor
    self.perform = perform
    super.init(loop: loop)
  }

  override func letGo() { perform = nil }
}

extension EventLoop.DescriptorSource {
  /// What can happen to a descriptor.
  ///
  /// - Since: 0.1.
  /// - Stands on: the events of `GYRunLoopSourceContext2`.
  public struct Events: OptionSet, Hashable, Sendable {
    /// The events as bits.
    ///
    /// - Since: 0.1.
    public let rawValue: UInt8

    /// Events from their bits.
    ///
    /// - Since: 0.1.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// There is something to read, or the end of it.
    ///
    /// - Since: 0.1.
    public static let readable = Events(rawValue: 1)
    /// There is room to write.
    ///
    /// - Since: 0.1.
    public static let writable = Events(rawValue: 2)
    /// The other side is gone, or will send nothing more. What it has sent can still be read.
    ///
    /// - Since: 0.1.
    public static let hangUp = Events(rawValue: 4)
    /// The descriptor has an error, which the next operation on it gives.
    ///
    /// - Since: 0.1.
    public static let failed = Events(rawValue: 8)

    /// What the system is asked for.
    fileprivate var asked: UInt32 {
      var bits: UInt32 = 0
      if contains(.readable) { bits |= System.inputEvent }
      if contains(.writable) { bits |= System.outputEvent }
      if contains(.hangUp) { bits |= System.halfHangUpEvent }
      return bits
    }

    fileprivate init(came bits: UInt32) {
      var events: Self = []
      if bits & System.inputEvent != 0 { events.insert(.readable) }
      if bits & System.outputEvent != 0 { events.insert(.writable) }
      if bits & (System.hangUpEvent | System.halfHangUpEvent) != 0 { events.insert(.hangUp) }
      if bits & System.errorEvent != 0 { events.insert(.failed) }
      self = events
    }
  }
}
