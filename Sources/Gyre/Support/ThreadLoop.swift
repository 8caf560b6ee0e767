internal import CGyre
import Synchronization

/// Which object stands for which thread's loop: one for each loop, for as long as the thread lives.
enum ThreadLoop {
  /// The calling thread's, with a reference to it.
  private static let own = ThreadValue()

  /// The main thread's, kept for ever. Another takes its place in the child of a fork, whose main
  /// thread is the one that forked.
  private static let mains = Atomic<Unmanaged<EventLoop>?>(nil)

  static var current: EventLoop {
    if let pointer = own.pointer { return Unmanaged.fromOpaque(pointer).takeUnretainedValue() }
    // NULL: the thread is past the end of its loop. Nothing is kept for it.
    guard let reference = GYRunLoopGetCurrent() else { return EventLoop(reference: nil) }
    if reference == GYRunLoopGetMain() {
      keep(main)
      return main
    }
    let loop = EventLoop(reference: reference)
    keep(loop)
    loop.gate?.start()
    return loop
  }

  private static func keep(_ loop: EventLoop) {
    // Of all destructors of a round those of older keys come first. The C library has its key from
    // its first loop on; so it takes a thread's loop down before this lets the object go.
    if !own.isPrepared {
      own.prepare { pointer in
        guard let pointer else { return }
        ThreadLoop.threadEnds(Unmanaged.fromOpaque(pointer), pointer)
      }
    }
    if !own.set(Unmanaged.passRetained(loop).toOpaque()) { fatalError("Gyre: no memory") }
  }

  /// The C library takes the loop down late, when ordinary destructors have had their turn; what it
  /// calls then finds the same object as before.
  private static func threadEnds(_ loop: Unmanaged<EventLoop>, _ pointer: UnsafeMutableRawPointer) {
    let isInUse = loop._withUnsafeGuaranteedRef { $0.isAlive }
    if isInUse && own.set(pointer) { return }
    loop._withUnsafeGuaranteedRef { $0.threadHasEnded() }
    loop.release()
  }

  static var main: EventLoop {
    let reference = GYRunLoopGetMain()
    let known = mains.load(ordering: .acquiring)
    if let known, known._withUnsafeGuaranteedRef({ $0.reference == reference }) {
      return known.takeUnretainedValue()
    }
    return replace(known, by: ownLoop(reference) ?? EventLoop(reference: reference))
  }

  /// The calling thread's object, where it is the one of that loop.
  private static func ownLoop(_ reference: OpaquePointer?) -> EventLoop? {
    guard let pointer = own.pointer else { return nil }
    let loop = Unmanaged<EventLoop>.fromOpaque(pointer).takeUnretainedValue()
    return loop.reference == reference ? loop : nil
  }

  /// The object that was there before is not given up: somebody may be about to retain it.
  private static func replace(_ old: Unmanaged<EventLoop>?, by loop: EventLoop) -> EventLoop {
    let new = Unmanaged.passRetained(loop)
    let (isDone, winner) = mains.compareExchange(
      expected: old, desired: new, ordering: .acquiringAndReleasing)
    if isDone {
      loop.gate?.start()
      return loop
    }
    new.release()
    // Only this stores there, and never nothing.
    return winner?.takeUnretainedValue() ?? loop
  }
}
