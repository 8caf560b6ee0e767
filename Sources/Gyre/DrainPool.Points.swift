internal import CGyre

extension DrainPool {
  /// The points of a run at which its pool drains and hooks are called.
  ///
  /// - Since: 0.1.
  /// - Stands on: the `kGYDrain…` points, with the same bits.
  public struct Points: OptionSet, Hashable, Sendable {
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

    /// In an iteration that may sleep, after all observers of ``EventLoop/Activity/beforeWaiting``.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYDrainBeforeWaiting`.
    public static let beforeWaiting = Points(rawValue: UInt(kGYDrainBeforeWaiting))
    /// In an iteration that does not wait, at the same place.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYDrainBeforePolling`.
    public static let beforePolling = Points(rawValue: UInt(kGYDrainBeforePolling))
    /// Once in each iteration, waiting or not.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYDrainEveryIteration`.
    public static let everyIteration = Points(rawValue: UInt(kGYDrainEveryIteration))
    /// Once, when a run ends, after all observers of ``EventLoop/Activity/exit``.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYDrainExit`.
    public static let exit = Points(rawValue: UInt(kGYDrainExit))
    /// All of them.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYDrainAllPoints`.
    public static let all = Points(rawValue: UInt(kGYDrainAllPoints))
  }
}
