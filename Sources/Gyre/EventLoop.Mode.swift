internal import CGyre

extension EventLoop {
  /// A name that a loop can run under. What has been added to a mode is served while the loop runs
  /// in it.
  ///
  /// Any string will do, and two modes with the same characters are the same mode:
  ///
  ///     extension EventLoop.Mode {
  ///       static let dialogue: Self = "com.example.dialogue"
  ///     }
  ///
  /// A name ends at its first NUL.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopMode`.
  ///
  /// Unchecked: neither the pointer changes nor what it points to.
  public struct Mode: @unchecked Sendable {
    /// The interned name: one for each name that is in use.
    let handle: OpaquePointer
    /// Nil where the name is a constant.
    private let owner: Reference?

    /// The mode of a name.
    ///
    /// - Threads: any.
    /// - Since: 0.1.
    /// - Stands on: `GYRunLoopModeNamed`.
    public init(_ name: String) {
      self.init(.required(GYRunLoopModeNamed(name)))
    }

    /// Adds a reference to one that the caller only borrows.
    init(borrowed handle: OpaquePointer) {
      self.init(Reference(borrowed: handle))
    }

    /// Takes over a reference that the caller owns.
    init(owned handle: OpaquePointer) {
      self.init(Reference(owned: handle))
    }

    init(constant handle: OpaquePointer) {
      self.handle = handle
      owner = nil
    }

    private init(_ reference: Reference) {
      handle = reference.pointer
      owner = reference
    }
  }
}

extension EventLoop.Mode {
  /// The mode that ``EventLoop/run()`` runs in: for everything that has no reason to be elsewhere.
  ///
  /// - Since: 0.1.
  /// - Stands on: `kGYRunLoopDefaultMode`.
  public static var `default`: EventLoop.Mode { EventLoop.Mode(constant: kGYRunLoopDefaultMode) }

  /// A mode to run in while something short has the user's whole attention, such as a drag.
  ///
  /// It is an ordinary mode under a name that programs agree on. It is no common mode until
  /// ``EventLoop/addCommonMode(_:)`` makes it one.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopModeNamed`.
  public static let tracking = EventLoop.Mode("GyreTrackingMode")

  /// A mode to run in while a question waits for its answer and nothing else may go on.
  ///
  /// An ordinary mode under a name that programs agree on, as ``tracking`` is.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopModeNamed`.
  public static let modalPanel = EventLoop.Mode("GyreModalPanelMode")

  /// A mode to run in while a program starts, before it is ready for what ``default`` serves.
  ///
  /// An ordinary mode under a name that programs agree on, as ``tracking`` is.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopModeNamed`.
  public static let initialization = EventLoop.Mode("GyreInitializationMode")

  /// The set of common modes, ``EventLoop/Modes/common``. A set is no mode: the compiler takes it
  /// where something is added to modes, and does not where a loop is run in one.
  ///
  /// - Since: 0.1.
  /// - Stands on: `kGYRunLoopCommonModes`.
  public static var common: EventLoop.Modes { .common }

  /// The name.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYStringGetCStringPtr`.
  public var name: String {
    guard let characters = GYStringGetCStringPtr(handle, GYStringEncoding(kGYStringEncodingUTF8))
    else { return "" }
    return String(cString: characters)
  }
}

extension EventLoop.Mode: ExpressibleByStringLiteral {
  /// The mode of a name.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopModeNamed`.
  public init(stringLiteral name: String) {
    self.init(name)
  }
}

extension EventLoop.Mode: Hashable {
  /// Whether two names have the same characters, byte by byte in UTF-8.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYEqual`.
  public static func == (a: EventLoop.Mode, b: EventLoop.Mode) -> Bool {
    a.handle == b.handle
  }

  /// Feeds the name to a hasher.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopModeNamed`, which gives equal names one handle.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(handle)
  }
}

extension EventLoop.Mode: CustomStringConvertible {
  /// The name.
  ///
  /// - Since: 0.1.
  public var description: String { name }
}
