internal import CGyre

extension EventLoop {
  /// Messages with a number and bytes, to a port by its name, in this process or in another one.
  ///
  /// A ``Local`` port receives, a ``Remote`` one sends to it and gets replies: <doc:MessagePorts>.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYMessagePortRef`.
  public enum MessagePort {}
}

extension EventLoop.MessagePort {
  /// Why a message was not sent, or no reply came.
  ///
  /// - Since: 0.1.
  /// - Stands on: the results of `GYMessagePortSendRequest`.
  public enum Failure: Error, Hashable, Sendable {
    /// Not sent: the port had no room for so long.
    ///
    /// - Since: 0.1.
    case sendTimedOut
    /// Sent, and no reply came in time.
    ///
    /// - Since: 0.1.
    case replyTimedOut
    /// Not sent: the local port had ended.
    ///
    /// - Since: 0.1.
    case ended
    /// Sent, and the local port ended before it replied.
    ///
    /// - Since: 0.1.
    case endedBeforeReply
    /// Not sent, or its reply cannot be waited for: what the system says. `ECANCELED`: the loop winds
    /// down; `EMSGSIZE`: there are too many bytes.
    ///
    /// - Since: 0.1.
    case refused(GyreError)

    init(_ result: Int32) {
      self =
        switch Int(result) {
        case kGYMessagePortSendTimeout: .sendTimedOut
        case kGYMessagePortReceiveTimeout: .replyTimedOut
        case kGYMessagePortIsInvalid: .ended
        case kGYMessagePortBecameInvalidError: .endedBeforeReply
        default: .refused(GyreError(errno: System.errorNumber))
        }
    }
  }

  /// Receives messages under a name.
  ///
  ///     let port = try EventLoop.MessagePort.Local(name: "echo") { id, bytes in bytes }
  ///     try loop.add(port, to: .default)
  ///
  /// The name is known to all processes of the user. When the port is invalidated, or nobody and no
  /// mode holds it any more, the name is free.
  ///
  /// - Threads: made on the thread of the loop that it is for; its members may be used on any.
  /// - Since: 0.1.
  /// - Stands on: `GYMessagePortCreateLocal`, `GYMessagePortCreateRunLoopSource`.
  public final class Local: EventLoop.Item, @unchecked Sendable {
    override class var kind: ItemKind { .source }
    private let port: Reference

    /// Makes a port.
    ///
    /// - Parameters:
    ///   - name: 1 to 255 bytes.
    ///   - receive: Called for each message, with its number and bytes, on the thread that makes the
    ///     port; nil bytes are none, which is not an empty array. What it returns is the reply.
    /// - Threads: that of the loop that the port is for.
    /// - Errors: `EADDRINUSE` where this process or another one has the name;
    ///   ``GyreError/invalid`` for what is no name, which is reported as well; what the system
    ///   refuses.
    /// - Since: 0.1.
    /// - Stands on: `GYMessagePortCreateLocal`, `GYMessagePortCreateRunLoopSource`.
    public init(
      name: String, receive: @escaping (Int32, [UInt8]?) -> [UInt8]?
    ) throws(GyreError) {
      let loop = EventLoop.current
      let callback = PortCallback(loop: loop, receive: receive)
      port = Reference(owned: try makeLocal(name, callback))
      let source = GYMessagePortCreateRunLoopSource(nil, port.pointer, 0)
      super.init(loop: loop, reference: source)
    }

    override func wasInvalidated() { GYMessagePortInvalidate(port.pointer) }

    /// Lets processes of another user send to the port; those of its own user always may.
    ///
    /// - Parameter user: The number of the user; nil: every user.
    /// - Threads: any.
    /// - Errors: ``GyreError/invalid`` where the port is; ``GyreError/noMemory``.
    /// - Since: 0.1.
    /// - Stands on: `GYMessagePortAllowUser`.
    public func allow(user: UInt32?) throws(GyreError) {
      if GYMessagePortAllowUser(port.pointer, user ?? UInt32.max) { return }
      throw GyreError(errno: System.errorNumber)
    }
  }
}

private final class PortCallback: Callback {
  private(set) var receive: ((Int32, [UInt8]?) -> [UInt8]?)?

  init(loop: EventLoop, receive: @escaping (Int32, [UInt8]?) -> [UInt8]?) {
    self.receive = receive
    super.init(loop: loop)
  }

  override func letGo() { receive = nil }
}

/// A reference that the caller owns.
private func makeLocal(
  _ name: String, _ callback: PortCallback
) throws(GyreError) -> OpaquePointer {
  var context = GYMessagePortContext()
  context.info = callback.retained()
  context.release = { Callback.end($0) }
  var isRefused: GYBoolean = 0
  let string = CData.makeName(name)
  System.errorNumber = System.invalid  // what is reported leaves it
  let port = withExtendedLifetime(string) {
    GYMessagePortCreateLocal(
      nil, string.pointer,
      { _, id, data, info in
        var reply: [UInt8]?
        Callback.call(info, as: PortCallback.self) {
          reply = $0.receive?(id, CData.bytes(of: data))
        }
        return reply.flatMap(CData.make)
      }, &context, &isRefused)
  }
  if let port, isRefused == 0 { return port }
  let code = port == nil ? System.errorNumber : System.addressInUse
  if let port { GYRelease(UnsafeRawPointer(port)) }
  Callback.end(context.info)
  throw GyreError(errno: code)
}
