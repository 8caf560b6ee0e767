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
    let references: [Reference]

    /// The modes of a sequence.
    ///
    /// - Since: 0.1.
    public init(_ modes: some Sequence<Mode>) {
      references = modes.map(\.reference)
    }

    private init(_ reference: Reference) {
      references = [reference]
    }

    /// The common modes: the default mode, and what ``EventLoop/addCommonMode(_:)`` adds to the set.
    ///
    /// An item that is added to them is in each of them, and in those that join later. A closure runs
    /// in whichever mode is common when its time comes.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopCommonModes`.
    public static let common = Modes(Reference(borrowed: kGYRunLoopCommonModes))
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
  /// Calls with the C object that stands for all of them: the one mode, or an array.
  func withSelector<Result>(_ body: (UnsafeRawPointer?) -> Result) -> Result {
    if references.count == 1 { return body(UnsafeRawPointer(references[0].pointer)) }
    var values = references.map { UnsafeRawPointer($0.pointer) as UnsafeRawPointer? }
    var callbacks = kGYTypeArrayCallBacks
    let array = Reference.required(GYArrayCreate(nil, &values, values.count, &callbacks))
    return body(UnsafeRawPointer(array.pointer))
  }
}
