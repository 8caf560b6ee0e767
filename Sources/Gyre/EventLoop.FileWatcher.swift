internal import CGyre

extension EventLoop {
  /// Calls a closure for what happens to files and directories.
  ///
  ///     let watcher = try EventLoop.FileWatcher { event in print(event) }
  ///     try watcher.watch("incoming", for: [.created, .moved])
  ///     try loop.add(watcher, to: .default)
  ///
  /// Of a directory the entries directly in it are watched, and not those further down. The kernel
  /// queues what happens from the moment at which a path is watched, also while the watcher is in no
  /// mode. See <doc:WatchingFiles>.
  ///
  /// - Threads: made on the thread of the loop that it is for; its members may be used on any.
  /// - Since: 0.1.
  /// - Stands on: `GYFileWatcherCreateRunLoopSource`.
  public final class FileWatcher: Item, @unchecked Sendable {
    override class var kind: ItemKind { .source }
    private let callback: FileCallback

    /// Makes a watcher, of no path to begin with.
    ///
    /// - Parameter perform: Called for each event, in their order, on the thread that makes the
    ///   watcher.
    /// - Threads: that of the loop that the watcher is for.
    /// - Errors: what the system refuses, such as more watchers than it allows (`EMFILE`).
    /// - Since: 0.1.
    /// - Stands on: `GYFileWatcherCreateRunLoopSource`.
    public init(perform: @escaping (Event) -> Void) throws(GyreError) {
      let loop = EventLoop.current
      callback = FileCallback(loop: loop, perform: perform)
      var context = callback.context()
      let source = GYFileWatcherCreateRunLoopSource(
        nil, 0,
        { _, event, info in
          guard let event else { return }
          Callback.call(info, as: FileCallback.self) { callback in
            if let event = Event(event.pointee) { callback.perform?(event) }
          }
        }, &context)
      guard let source else { throw GyreError(errno: System.errorNumber) }
      super.init(loop: loop, reference: source)
    }

    /// Watches a path as well. One that is watched already is asked for the new events.
    ///
    /// It is the file that is watched and not its name: it goes on when that is moved. Symbolic
    /// links are followed.
    ///
    /// - Parameters:
    ///   - path: A file, or a directory with the entries directly in it. Events give it back as it
    ///     is.
    ///   - events: What is to be told. An overflow and the end of a file system are told in any
    ///     case.
    /// - Threads: any, the closure too.
    /// - Blocking: while the file system looks for the path.
    /// - Errors: ``GyreError/invalid`` for no events, which is reported, and for a watcher that is
    ///   invalid; what the system refuses, such as `ENOENT`, and `ENOSPC` for more watches than it
    ///   allows. Nothing has changed then.
    /// - Since: 0.1.
    /// - Stands on: `GYFileWatcherAddPath`.
    public func watch(_ path: String, for events: Events = .all) throws(GyreError) {
      if GYFileWatcherAddPath(reference, path, events.rawValue) == 0 {
        throw GyreError(errno: System.errorNumber)
      }
    }

    /// Watches a path no more. What is queued of it is not told, once this returns on the loop's
    /// own thread.
    ///
    /// - Parameter path: As it was given to ``watch(_:for:)``.
    /// - Returns: Whether it was watched.
    /// - Threads: any, the closure too.
    /// - Since: 0.1.
    /// - Stands on: `GYFileWatcherRemovePath`.
    @discardableResult
    public func unwatch(_ path: String) -> Bool {
      GYFileWatcherRemovePath(reference, path) != 0
    }

    override func wasInvalidated() { Callback.end(callback.retained()) }
  }
}

private final class FileCallback: Callback {
  private(set) var perform: ((EventLoop.FileWatcher.Event) -> Void)?

  init(loop: EventLoop, perform: @escaping (EventLoop.FileWatcher.Event) -> Void) {
    self.perform = perform
    super.init(loop: loop)
  }

  override func letGo() { perform = nil }
}
