internal import CGyre

extension EventLoop {
  /// Calls a closure when a file descriptor is ready: a pipe, a socket, a terminal, an eventfd, or
  /// a file, which always is.
  ///
  /// The loop reads and writes nothing itself. While there is something left to read the closure is
  /// called again, one turn in an iteration, so that it may read once and return. After a hang-up
  /// it is called only as long as it reads; the end of the file is told once.
  ///
  /// ``events`` is what it waits for, and can be changed at any moment (<doc:Descriptors>).
  ///
  /// The descriptor stays open until the source is invalidated or has left all modes: by the
  /// caller, or by the source itself where that was asked for. The closure may find that there is
  /// nothing to read after all; a descriptor that does not block is best.
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
    ///   - descriptor: Borrowed, unless `closesDescriptor` is true. A negative one makes a source
    ///     that counts as content of its modes and is never called.
    ///   - events: What to wait for; ``Events/hangUp`` and ``Events/failed`` come in any case, but
    ///     for the half of a connection that the other side has closed, which comes when it is
    ///     asked for.
    ///   - closesDescriptor: Whether the source owns the descriptor, and closes it, once, together
    ///     with letting the closure go: when it is invalidated, or nobody holds it any more. By then
    ///     it has left its modes and no call is in progress.
    ///   - perform: Called with what came, on the thread that makes the source.
    /// - Threads: that of the loop that the source is for.
    /// - Since: 0.1.
    /// - Stands on: `GYRunLoopSourceCreate`.
    public init(
      descriptor: Int32, events: Events = .readable, closesDescriptor: Bool = false,
      perform: @escaping (Events) -> Void
    ) {
      let loop = EventLoop.current
      callback = DescriptorCallback(
        loop: loop, descriptor: descriptor, closes: closesDescriptor, perform: perform)
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
  private let closes: Bool
  private(set) var perform: ((EventLoop.DescriptorSource.Events) -> Void)?

  init(
    loop: EventLoop, descriptor: Int32, closes: Bool,
    perform: @escaping (EventLoop.DescriptorSource.Events) -> Void
  ) {
    self.descriptor = descriptor
    self.closes = closes
    self.perform = perform
    super.init(loop: loop)
  }

  override func letGo() {
    perform = nil
    if closes && descriptor >= 0 { System.close(descriptor) }
  }
}

extension EventLoop.DescriptorSource {
  /// What the source waits for, in every mode that it is in.
  ///
  /// Setting it takes effect at once: the closure is not called for what is not waited for any
  /// more, and a loop that sleeps learns of what is. What was not waited for before is told anew,
  /// the end of the file and a hang-up too. To take something back and wait for it again costs next
  /// to nothing.
  ///
  /// ``Events/failed``, and a ``Events/hangUp`` of the whole connection, come whether they are asked
  /// for or not. Where the system may refuse (the descriptor was closed, memory is out) use
  /// ``setEvents(_:)``, which tells; what was refused is tried again when events are next set.
  ///
  /// - Threads: any.
  /// - Blocking: never.
  /// - Errors: an invalid source is not called any more, whatever it waits for.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopSourceSetEvents`, `GYRunLoopSourceGetContext`.
  public var events: Events {
    get {
      var context = GYRunLoopSourceContext2()
      context.version = 2
      withUnsafeMutablePointer(to: &context) { context in
        context.withMemoryRebound(to: GYRunLoopSourceContext.self, capacity: 1) {
          GYRunLoopSourceGetContext(reference, $0)
        }
      }
      return Events(asked: context.events)
    }
    set { _ = GYRunLoopSourceSetEvents(reference, newValue.asked) }
  }

  /// Sets ``events``, and tells if the system refuses to watch for them.
  ///
  /// - Parameter events: What to wait for from now on, also where this throws.
  /// - Threads: any.
  /// - Blocking: never.
  /// - Errors: the descriptor was closed, or memory is out.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopSourceSetEvents`.
  public func setEvents(_ events: Events) throws(GyreError) {
    try GyreError.check { _ = GYRunLoopSourceSetEvents(reference, events.asked) }
  }
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

    /// What the system was asked for, as events.
    fileprivate init(asked bits: UInt32) {
      var events: Self = []
      if bits & System.inputEvent != 0 { events.insert(.readable) }
      if bits & System.outputEvent != 0 { events.insert(.writable) }
      if bits & System.halfHangUpEvent != 0 { events.insert(.hangUp) }
      self = events
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
