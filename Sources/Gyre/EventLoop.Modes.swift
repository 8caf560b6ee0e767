internal import CGyre

extension EventLoop {
  /// What an item is added to, or a closure may run in: several modes, or the common modes.
  ///
  ///     try loop.add(timer, to: .common)
  ///     try loop.add(timer, to: [.default, "com.example.dialogue"])
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopMode` and `GYArrayRef`.
  public struct Modes: Sendable {
    private enum Choice {
      case common
      case several([Mode])
    }

    private let choice: Choice

    /// The modes of a sequence.
    ///
    /// - Since: 0.1.
    public init(_ modes: some Sequence<Mode>) {
      choice = .several(Array(modes))
    }

    private init(_ choice: Choice) {
      self.choice = choice
    }

    /// The common modes: the default mode, and what ``EventLoop/addCommonMode(_:)`` adds to the
    /// set.
    ///
    /// An item that is added to them is in each of them, and in those that join later. A closure
    /// runs in whichever mode is common when its time comes.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopCommonModes`.
    public static var common: Modes { Modes(.common) }
  }
}

extension EventLoop.Modes: ExpressibleByArrayLiteral {
  /// The modes of an array.
  ///
  /// - Since: 0.1.
  public init(arrayLiteral modes: EventLoop.Mode...) {
    self.init(modes)
  }
}

extension EventLoop.Modes {
  /// What the C functions take one after the other: single modes, or the name of the common ones.
  var members: [EventLoop.Mode] {
    switch choice {
    case .common: [EventLoop.Mode(constant: kGYRunLoopCommonModes)]
    case .several(let modes): modes
    }
  }

  var isEmpty: Bool {
    if case .several(let modes) = choice { modes.isEmpty } else { false }
  }

  /// Calls with the C object that stands for all of them: a name, or an array of names.
  func withSelector<Result>(_ body: (UnsafeRawPointer?) -> Result) -> Result {
    guard case .several(let modes) = choice else {
      return body(UnsafeRawPointer(kGYRunLoopCommonModes))
    }
    return withExtendedLifetime(modes) {
      var values = modes.map { UnsafeRawPointer($0.handle) as UnsafeRawPointer? }
      var callbacks = kGYTypeArrayCallBacks
      let array = Reference.required(GYArrayCreate(nil, &values, values.count, &callbacks))
      return body(UnsafeRawPointer(array.pointer))
    }
  }

  /// The same for a call that can fail, which no mode at all makes it do.
  func withSelectorOrThrow<Result>(
    _ body: (UnsafeRawPointer?) throws(GyreError) -> Result
  ) throws(GyreError) -> Result {
    if isEmpty { throw .invalid }
    let outcome = withSelector { selector in
      Swift.Result { () throws(GyreError) in try body(selector) }
    }
    return try outcome.get()
  }
}
