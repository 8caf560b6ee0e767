internal import CGyre

/// A closure on its way to a loop.
///
/// It takes more words than the pointer that the C library carries for it: so it moves into a cell,
/// which is all the memory that handing it over takes.
struct Work {
  private let closure: () -> Void
  /// The loop on whose thread alone the closure may be let go; nil where any will do.
  private let home: EventLoop?

  init(shared closure: @escaping @Sendable () -> Void) {
    self.closure = closure
    home = nil
  }

  /// - Parameter home: the calling thread's loop.
  init(of home: EventLoop, _ closure: @escaping () -> Void) {
    self.closure = closure
    self.home = home
  }

  /// For a closure that is called and let go on the calling thread.
  init(staying closure: @escaping () -> Void) {
    self.closure = closure
    home = nil
  }

  /// The work in a cell, which `end` lets go.
  func moved() -> UnsafeMutableRawPointer {
    let cell = UnsafeMutablePointer<Work>.allocate(capacity: 1)
    cell.initialize(to: self)
    return UnsafeMutableRawPointer(cell)
  }

  /// The call, on the thread of the loop that the work was handed to.
  static let call: GYPerformFunction = { cell in
    cell?.assumingMemoryBound(to: Work.self).pointee.closure()
  }

  /// The call, and the end of the cell. What the closure holds goes when it has returned.
  static let callAndEnd: GYPerformFunction = { cell in
    guard let cell = cell?.assumingMemoryBound(to: Work.self) else { return }
    let work = cell.move()
    cell.deallocate()
    work.closure()
  }

  /// Lets go of a cell. Any thread: that of the loop, or whichever takes the work back.
  static let end: GYPerformFunction = { cell in
    guard let cell else { return }
    let home = cell.assumingMemoryBound(to: Work.self).pointee.home
    guard let home, !home.isCurrent else { return destroy(cell) }
    // A thread that has ended uses nothing any more.
    let destroy: GYPerformFunction = { if let cell = $0 { Work.destroy(cell) } }
    home.handBack(cell, destroy, afterwards: destroy)
  }

  private static func destroy(_ cell: UnsafeMutableRawPointer) {
    let cell = cell.assumingMemoryBound(to: Work.self)
    cell.deinitialize(count: 1)
    cell.deallocate()
  }
}
