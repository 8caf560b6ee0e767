import Synchronization

extension EventLoop {
  /// Ends an item, or takes a closure back, when it is dropped: for what is of no use without its
  /// owner.
  ///
  ///     final class Blinker {
  ///       private var blinking: EventLoop.AutoCancel?
  ///
  ///       func start() throws(GyreError) {
  ///         let timer = EventLoop.Timer(every: .seconds(1)) { [unowned self] in blink() }
  ///         blinking = EventLoop.AutoCancel(timer)
  ///         try timer.loop.add(timer, to: .common)
  ///       }
  ///     }
  ///
  /// An ``Item`` and a ``Request`` by themselves do not end when they are dropped: the loop keeps
  /// them.
  ///
  /// - Threads: any. On another thread than the loop's a call in progress goes on, as after
  ///   ``Item/invalidate()`` and ``Request/cancel()``.
  /// - Since: 0.1.
  /// - Stands on: ``Item/invalidate()``, ``Request/cancel()``.
  public final class AutoCancel: Sendable {
    private let end: @Sendable () -> Void
    private let isArmed = Atomic<Bool>(true)

    /// Invalidates an item when this is dropped.
    ///
    /// - Since: 0.1.
    /// - Stands on: ``Item/invalidate()``.
    public init(_ item: Item) {
      end = { item.invalidate() }
    }

    /// Takes a closure back when this is dropped.
    ///
    /// - Since: 0.1.
    /// - Stands on: ``Request/cancel()``.
    public init(_ request: Request) {
      end = { request.cancel() }
    }

    deinit { cancel() }

    /// Does at once what dropping would do, unless ``keep()`` was called before. Once more it does
    /// nothing.
    ///
    /// - Threads: any.
    /// - Since: 0.1.
    /// - Stands on: ``Item/invalidate()``, ``Request/cancel()``.
    public func cancel() {
      if disarm() { end() }
    }

    /// Gives up ending anything: item or closure go on when this is dropped.
    ///
    /// - Threads: any.
    /// - Since: 0.1.
    public func keep() {
      _ = disarm()
    }

    /// True for the one caller that finds it armed. Relaxed: only the flag itself is agreed upon.
    private func disarm() -> Bool {
      isArmed.exchange(false, ordering: .relaxed)
    }
  }
}
