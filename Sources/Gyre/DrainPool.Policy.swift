internal import CGyre

extension DrainPool {
  /// Which drain points a mode has, for the pool of a run and for hooks alike. The end of a run is
  /// one with each policy.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYDrainPolicy`.
  @frozen
  public enum Policy: Hashable, Sendable {
    /// One in each iteration, waiting or not. What a mode has unless another policy was set.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYDrainPolicyEveryIteration`.
    case everyIteration
    /// One in each iteration that may sleep.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYDrainPolicyBeforeWaiting`.
    case beforeWaiting
    /// None in iterations.
    ///
    /// - Since: 0.1.
    /// - Stands on: `kGYDrainPolicyOnExit`.
    case onExit

    init(_ policy: GYDrainPolicy) {
      switch Int(policy) {
      case Int(kGYDrainPolicyBeforeWaiting): self = .beforeWaiting
      case Int(kGYDrainPolicyOnExit): self = .onExit
      default: self = .everyIteration
      }
    }

    var value: GYDrainPolicy {
      switch self {
      case .everyIteration: GYDrainPolicy(kGYDrainPolicyEveryIteration)
      case .beforeWaiting: GYDrainPolicy(kGYDrainPolicyBeforeWaiting)
      case .onExit: GYDrainPolicy(kGYDrainPolicyOnExit)
      }
    }
  }
}

extension EventLoop {
  /// Which drain points a mode of this loop has.
  ///
  /// - Threads: any.
  /// - Errors: for the name that stands for the common modes, which is reported, and of a loop that
  ///   has ended it is ``DrainPool/Policy/everyIteration``.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopGetDrainPolicy`.
  public func drainPolicy(of mode: Mode) -> DrainPool.Policy {
    isAlive
      ? DrainPool.Policy(GYRunLoopGetDrainPolicy(reference, mode.handle)) : .everyIteration
  }

  /// Sets which drain points a mode of this loop has. Runs in progress follow it from their next
  /// drain point on.
  ///
  /// - Threads: any.
  /// - Blocking: never.
  /// - Errors: ``GyreError/loopEnded``; ``GyreError/invalid`` for the name that stands for the
  ///   common modes, which is reported, since each mode has a policy of its own;
  ///   ``GyreError/noMemory``.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopSetDrainPolicy`.
  public func setDrainPolicy(_ policy: DrainPool.Policy, of mode: Mode) throws(GyreError) {
    guard isAlive else { throw .loopEnded }
    System.errorNumber = 0
    if GYRunLoopSetDrainPolicy(reference, mode.handle, policy.value) { return }
    throw GyreError(errno: System.errorNumber)
  }
}
