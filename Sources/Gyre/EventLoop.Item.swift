internal import CGyre

extension EventLoop {
  /// What a mode can hold: a ``Timer``, a ``Source``, a ``DescriptorSource``, a ``SignalSource``, a
  /// ``ProcessSource``, a ``FileWatcher``, an ``Observer`` or a ``DrainHook``.
  ///
  /// An item belongs to the loop of the thread that makes it, and can be added to that loop alone.
  /// Its closures are called on that thread; so they need not be `Sendable`, and they may use
  /// whatever belongs to the thread, the state of the main actor on the main thread for one. An
  /// actor that runs elsewhere protects nothing there. What a closure captures stays on the thread:
  /// the compiler lets it be sent to another one all the same (<doc:Threads>).
  ///
  /// To put an item on the loop of another thread, make it there:
  ///
  ///     try other.perform(in: .common) {
  ///       let timer = EventLoop.Timer(every: .seconds(1)) { … }
  ///       try? EventLoop.current.add(timer, to: .default)
  ///     }
  ///
  /// The modes that an item has been added to keep it: it goes on working when nobody else holds
  /// it, until it is removed or invalidated.
  ///
  /// - Threads: any, where a member does not say otherwise.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopTimerRef`, `GYRunLoopSourceRef` and `GYRunLoopObserverRef`.
  ///
  /// Unchecked: the C object has a lock of its own; the closures are called on the loop's thread,
  /// and adding is refused to any other loop.
  public class Item: @unchecked Sendable {
    /// The loop that the item can be added to: that of the thread that made it.
    ///
    /// - Since: 0.1.
    public let loop: EventLoop
    let owner: Reference

    var reference: OpaquePointer { owner.pointer }

    /// - Parameter reference: the C object, which becomes the item's; NULL where memory is out.
    init(loop: EventLoop, reference: OpaquePointer?) {
      self.loop = loop
      owner = .required(reference)
    }

    /// Whether the item has not been invalidated.
    ///
    /// - Threads: any.
    /// - Since: 0.1.
    /// - Stands on: `GYRunLoopTimerIsValid`, `GYRunLoopSourceIsValid`, `GYRunLoopObserverIsValid`.
    public final var isValid: Bool { kind.isValid(reference) != 0 }

    /// Ends the item for good: it leaves all modes, and the closure that it calls is let go.
    ///
    /// It may be called in the item's own closure, which goes on and is let go after that. On
    /// another thread than the loop's a call in progress goes on, and the closure is let go on the
    /// loop's thread when it next runs in a common mode, or ends; a loop that sleeps is woken.
    ///
    /// - Threads: any.
    /// - Callout: `cancel` of a source, for each mode that it leaves.
    /// - Since: 0.1.
    /// - Stands on: `GYRunLoopTimerInvalidate`, `GYRunLoopSourceInvalidate`,
    ///   `GYRunLoopObserverInvalidate`.
    public final func invalidate() {
      kind.invalidate(reference)
      wasInvalidated()
    }

    /// The C library lets go of the context of a source only together with the source.
    func wasInvalidated() {}

    /// What the C library offers for the kind of the item.
    class var kind: ItemKind { .source }
    final var kind: ItemKind { Self.kind }
  }
}

/// The C functions that each kind of item has.
struct ItemKind: Sendable {
  typealias Membership =
    @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Void
  typealias Question =
    @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> GYBoolean

  let add: Membership
  let remove: Membership
  let contains: Question
  let isValid: @convention(c) (OpaquePointer?) -> GYBoolean
  let invalidate: @convention(c) (OpaquePointer?) -> Void

  static let timer = ItemKind(
    add: GYRunLoopAddTimer, remove: GYRunLoopRemoveTimer, contains: GYRunLoopContainsTimer,
    isValid: GYRunLoopTimerIsValid, invalidate: GYRunLoopTimerInvalidate)
  static let source = ItemKind(
    add: GYRunLoopAddSource, remove: GYRunLoopRemoveSource, contains: GYRunLoopContainsSource,
    isValid: GYRunLoopSourceIsValid, invalidate: GYRunLoopSourceInvalidate)
  static let observer = ItemKind(
    add: GYRunLoopAddObserver, remove: GYRunLoopRemoveObserver,
    contains: GYRunLoopContainsObserver,
    isValid: GYRunLoopObserverIsValid, invalidate: GYRunLoopObserverInvalidate)
}
