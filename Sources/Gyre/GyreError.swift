/// Why something could not be given to a loop, or a thread not be made or waited for.
///
/// - Since: 0.1.
/// - Stands on: `errno`, as the C functions leave it.
public struct GyreError: Error, Hashable, Sendable {
  /// The error number of the system, as in `<errno.h>`.
  ///
  /// - Since: 0.1.
  public let errno: Int32

  /// The thread of the loop has ended, and its loop with it (`ESRCH`).
  ///
  /// - Since: 0.1.
  public static let loopEnded = GyreError(errno: System.noSuchLoop)
  /// The item was made for the loop of another thread (`EPERM`).
  ///
  /// - Since: 0.1.
  public static let madeForAnotherLoop = GyreError(errno: System.notPermitted)
  /// The item has been invalidated, no mode was named, or the thread has no drain pool (`EINVAL`).
  ///
  /// - Since: 0.1.
  public static let invalid = GyreError(errno: System.invalid)
  /// Memory is out (`ENOMEM`).
  ///
  /// - Since: 0.1.
  public static let noMemory = GyreError(errno: System.noMemory)
  /// The loop is running, or the clock serves another loop (`EBUSY`).
  ///
  /// - Since: 0.1.
  public static let busy = GyreError(errno: System.busy)
  /// The thread would wait for its own end (`EDEADLK`).
  ///
  /// - Since: 0.1.
  public static let wouldDeadlock = GyreError(errno: System.deadlock)

  /// Runs a call that leaves 0 in `errno` when it goes well, and throws what it leaves otherwise.
  static func check(_ call: () -> Void) throws(GyreError) {
    System.errorNumber = 0
    call()
    let code = System.errorNumber
    if code != 0 { throw GyreError(errno: code) }
  }
}

extension GyreError: CustomStringConvertible {
  /// The reason in words, for people.
  ///
  /// - Since: 0.1.
  public var description: String {
    switch self {
    case .loopEnded: "the loop has ended with its thread"
    case .madeForAnotherLoop: "the item was made for the loop of another thread"
    case .wouldDeadlock: "the thread would wait for its own end"
    default: System.message(for: errno)
    }
  }
}
