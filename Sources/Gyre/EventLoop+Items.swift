internal import CGyre

extension EventLoop {
  /// Adds an item to a mode. A sleeping loop takes notice of a timer and of a descriptor; adding
  /// what is there already changes nothing.
  ///
  /// - Threads: any. The item must have been made on this loop's thread.
  /// - Callout: `schedule` of a source.
  /// - Errors: ``GyreError/madeForAnotherLoop``, ``GyreError/invalid``, ``GyreError/loopEnded``;
  ///   what the system refuses (descriptors, memory, a descriptor that is closed), and then nothing
  ///   has changed.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopAddTimer`, `GYRunLoopAddSource`, `GYRunLoopAddObserver`.
  public func add(_ item: Item, to mode: Mode) throws(GyreError) {
    guard isAlive else { throw .loopEnded }
    guard item.loop === self else { throw .madeForAnotherLoop }
    guard item.isValid else { throw .invalid }
    try GyreError.check { item.kind.add(reference, item.reference, mode.handle) }
  }

  /// Adds an item to several modes, or to the common modes. Where one of several refuses it, it
  /// stays in those before.
  ///
  /// - Threads: any. The item must have been made on this loop's thread.
  /// - Callout: `schedule` of a source, for each mode that it enters.
  /// - Errors: as ``add(_:to:)-(_,EventLoop.Mode)``.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopAddTimer`, `GYRunLoopAddSource`, `GYRunLoopAddObserver`.
  public func add(_ item: Item, to modes: Modes) throws(GyreError) {
    for mode in modes.members { try add(item, to: mode) }
  }

  /// Takes an item out of a mode; it stays valid, and may be added again. Nothing happens where it
  /// is not in the mode.
  ///
  /// - Threads: any. Once it returns on the loop's own thread the item is not called in that mode.
  /// - Callout: `cancel` of a source.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopRemoveTimer`, `GYRunLoopRemoveSource`, `GYRunLoopRemoveObserver`.
  public func remove(_ item: Item, from mode: Mode) {
    if reference != nil { item.kind.remove(reference, item.reference, mode.handle) }
  }

  /// Takes an item out of several modes, or out of all common modes.
  ///
  /// - Threads: any, as ``remove(_:from:)-(_,EventLoop.Mode)``.
  /// - Callout: `cancel` of a source, for each mode that it leaves.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopRemoveTimer`, `GYRunLoopRemoveSource`, `GYRunLoopRemoveObserver`.
  public func remove(_ item: Item, from modes: Modes) {
    for mode in modes.members { remove(item, from: mode) }
  }

  /// Whether an item is in a mode of this loop.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopContainsTimer`, `GYRunLoopContainsSource`, `GYRunLoopContainsObserver`.
  public func contains(_ item: Item, in mode: Mode) -> Bool {
    reference != nil && item.kind.contains(reference, item.reference, mode.handle) != 0
  }

  /// Whether an item is in each of several modes, or is an item of the common modes.
  ///
  /// - Threads: any.
  /// - Since: 0.1.
  /// - Stands on: `GYRunLoopContainsTimer`, `GYRunLoopContainsSource`, `GYRunLoopContainsObserver`.
  public func contains(_ item: Item, in modes: Modes) -> Bool {
    modes.members.allSatisfy { contains(item, in: $0) }
  }
}
