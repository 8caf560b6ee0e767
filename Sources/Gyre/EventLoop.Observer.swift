internal import CGyre

extension EventLoop {
  /// The points of a run at which observers are called.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopActivity`, with the same bits.
  public struct Activity: OptionSet, Hashable, Sendable {
    /// The points as bits.
    ///
    /// - Since: 0.1.
    public let rawValue: UInt

    /// Points from their bits.
    ///
    /// - Since: 0.1.
    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }

    /// Once, when a run begins.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopEntry`.
    public static let entry = Activity(rawValue: UInt(kGYRunLoopEntry))
    /// At the beginning of an iteration.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopBeforeTimers`.
    public static let beforeTimers = Activity(rawValue: UInt(kGYRunLoopBeforeTimers))
    /// Before closures and signalled sources are performed.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopBeforeSources`.
    public static let beforeSources = Activity(rawValue: UInt(kGYRunLoopBeforeSources))
    /// Before the loop sleeps, in an iteration that may.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopBeforeWaiting`.
    public static let beforeWaiting = Activity(rawValue: UInt(kGYRunLoopBeforeWaiting))
    /// After that, before what woke the loop is served.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopAfterWaiting`.
    public static let afterWaiting = Activity(rawValue: UInt(kGYRunLoopAfterWaiting))
    /// Once, when a run ends.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopExit`.
    public static let exit = Activity(rawValue: UInt(kGYRunLoopExit))
    /// All of them, and what may be added to them.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYRunLoopAllActivities`.
    public static let all = Activity(rawValue: UInt(kGYRunLoopAllActivities))
  }

  /// Calls a closure at certain points of each run in its modes.
  ///
  /// An observer does not keep a mode from being empty. While its closure is called it is not
  /// called by nested runs. In one round the observers are called that were there when it began.
  ///
  /// - Threads: made on the thread of the loop that it is for; its members may be used on any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopObserverRef`.
  public final class Observer: Item, @unchecked Sendable {
    override class var kind: ItemKind { .observer }

    /// Makes an observer.
    ///
    /// - Parameters:
    ///   - activities: The points at which to be called.
    ///   - repeats: Whether to be called again after the first time; otherwise it is invalid then.
    ///   - order: Lower ones are called first; equal ones in the order in which they were added.
    ///   - action: Called with one of the points, on the thread that makes the observer.
    /// - Threads: that of the loop that the observer is for.
    /// - Since: 0.1.
    /// - Stands on: `GYRunLoopObserverCreate`.
    public init(
      _ activities: Activity, repeats: Bool = true, order: Int = 0,
      _ action: @escaping (Activity) -> Void
    ) {
      let loop = EventLoop.current
      var context = GYRunLoopObserverContext(
        version: 0, info: ObserverCallback(loop: loop, action: action).retained(), retain: nil,
        release: { Callback.end($0) }, copyDescription: nil)
      let observer = GYRunLoopObserverCreate(
        nil, GYOptionFlags(activities.rawValue), repeats ? 1 : 0, order,
        { _, activity, info in
          Callback.call(info, as: ObserverCallback.self) {
            $0.action(Activity(rawValue: UInt(activity)))
          }
        }, &context)
      super.init(loop: loop, reference: observer)
    }
  }
}

private final class ObserverCallback: Callback {
  let action: (EventLoop.Activity) -> Void

  init(loop: EventLoop, action: @escaping (EventLoop.Activity) -> Void) {
    self.action = action
    super.init(loop: loop)
  }
}

extension EventLoop.Observer {
  /// The points that the observer was made for.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopObserverGetActivities`.
  public var activities: EventLoop.Activity {
    EventLoop.Activity(rawValue: UInt(GYRunLoopObserverGetActivities(reference)))
  }

  /// Whether the observer is called more than once.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopObserverDoesRepeat`.
  public var repeats: Bool { GYRunLoopObserverDoesRepeat(reference) != 0 }

  /// The order that the observer was made with.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopObserverGetOrder`.
  public var order: Int { GYRunLoopObserverGetOrder(reference) }
}
