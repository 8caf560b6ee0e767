internal import CGyre

extension EventLoop.MessagePort {
  /// Sends messages to the ``Local`` port of a name.
  ///
  ///     let port = try EventLoop.MessagePort.Remote(name: "echo")
  ///     let reply = try port.request(id: 1, bytes: [1, 2, 3])
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYMessagePortCreateRemote`.
  public final class Remote: Sendable {
    private let port: Reference

    /// Finds the port of a name.
    ///
    /// - Parameters:
    ///   - name: 1 to 255 bytes.
    ///   - user: The number of the user whose process has the port, who has to allow it; nil: the
    ///     own user.
    /// - Threads: any.
    /// - Blocking: never.
    /// - Errors: `ENOENT` where there is none; ``GyreError/invalid`` for what is no name, which is
    ///   reported as well; what the system refuses.
    /// - Since: 0.1.
    /// - Stands on: `GYMessagePortCreateRemote`, `GYMessagePortCreateRemoteOfUser`.
    public init(name: String, user: UInt32? = nil) throws(GyreError) {
      let string = CData.makeName(name)
      System.errorNumber = System.invalid
      let port = withExtendedLifetime(string) {
        guard let user else { return GYMessagePortCreateRemote(nil, string.pointer) }
        return GYMessagePortCreateRemoteOfUser(nil, string.pointer, user)
      }
      guard let port else { throw GyreError(errno: System.errorNumber) }
      self.port = Reference(owned: port)
    }

    /// Whether neither this port nor the local one has ended.
    ///
    /// - Threads: any.
    /// - Since: 0.1.
    /// - Stands on: `GYMessagePortIsValid`.
    public var isValid: Bool { GYMessagePortIsValid(port.pointer) != 0 }

    /// Ends the port: requests in progress fail by ``Failure/endedBeforeReply``. All ports of that
    /// name in the process end, for they are one; the local port does not.
    ///
    /// - Threads: any.
    /// - Since: 0.1.
    /// - Stands on: `GYMessagePortInvalidate`.
    public func invalidate() { GYMessagePortInvalidate(port.pointer) }

    /// Sends a message and wants no reply.
    ///
    /// - Parameters:
    ///   - id: The number of the message.
    ///   - bytes: Up to 16 MiB; nil: none.
    ///   - timeout: How long to wait for room, where the port has none.
    /// - Threads: any.
    /// - Blocking: for as long as `timeout` says.
    /// - Errors: ``Failure``.
    /// - Since: 0.1.
    /// - Stands on: `GYMessagePortSendRequest`.
    public func send(
      id: Int32, bytes: [UInt8]? = nil, timeout: Duration = .seconds(10)
    ) throws(Failure) {
      _ = try exchange(id, bytes, timeout, .zero, nil)
    }

    /// Sends a message and waits for the reply, in a run of the calling thread's loop.
    ///
    /// - Parameters:
    ///   - id: The number of the message.
    ///   - bytes: Up to 16 MiB; nil: none.
    ///   - sendTimeout: How long to wait for room, where the port has none.
    ///   - replyTimeout: How long to wait for the reply, from when the message was sent.
    ///   - mode: What the loop runs in meanwhile. A port that is received from on the same thread has
    ///     to be in it.
    /// - Returns: The bytes of the reply; nil: none.
    /// - Threads: any.
    /// - Callout: whatever `mode` holds.
    /// - Blocking: for as long as the two time-outs say.
    /// - Errors: ``Failure``.
    /// - Since: 0.1.
    /// - Stands on: `GYMessagePortSendRequest`.
    public func request(
      id: Int32, bytes: [UInt8]? = nil, sendTimeout: Duration = .seconds(10),
      replyTimeout: Duration = .seconds(10), mode: EventLoop.Mode = "gyre.reply"
    ) throws(Failure) -> [UInt8]? {
      try exchange(id, bytes, sendTimeout, replyTimeout, mode)
    }

    private func exchange(
      _ id: Int32, _ message: [UInt8]?, _ sendTimeout: Duration, _ replyTimeout: Duration,
      _ mode: EventLoop.Mode?
    ) throws(Failure) -> [UInt8]? {
      let data = message.flatMap(CData.make).map(Reference.init(owned:))
      if message != nil && data == nil { throw .refused(.noMemory) }
      var reply: OpaquePointer?
      let result = withExtendedLifetime((data, mode)) {
        GYMessagePortSendRequest(
          port.pointer, id, data?.pointer, sendTimeout.inSeconds, replyTimeout.inSeconds,
          mode?.handle, &reply)
      }
      if result != 0 { throw Failure(result) }
      defer { if let reply { GYRelease(UnsafeRawPointer(reply)) } }
      return CData.bytes(of: reply)
    }
  }
}

extension Duration {
  fileprivate var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
