internal import CGyre

extension EventLoop.FileWatcher {
  /// What is to be told of a path.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYFileEvents`.
  public struct Events: OptionSet, Hashable, Sendable {
    /// The events as bits.
    ///
    /// - Since: 0.1.
    public let rawValue: UInt

    /// Events from their bits.
    ///
    /// - Since: 0.1.
    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }

    private init(_ bit: Int) {
      rawValue = 1 << UInt(bit)
    }

    /// An entry of the directory has come into being.
    ///
    /// - Since: 0.1.
    public static let created = Events(0)
    /// Something was written, or the length was changed.
    ///
    /// - Since: 0.1.
    public static let modified = Events(1)
    /// A file that was open for writing has been closed.
    ///
    /// - Since: 0.1.
    public static let written = Events(2)
    /// Mode, owner, times, number of links.
    ///
    /// - Since: 0.1.
    public static let attributes = Events(3)
    /// An entry of the directory is gone.
    ///
    /// - Since: 0.1.
    public static let deleted = Events(4)
    /// An entry has another name or directory, has gone out of what is watched, or come in.
    ///
    /// - Since: 0.1.
    public static let moved = Events(5)
    /// What the path led to is gone.
    ///
    /// - Since: 0.1.
    public static let selfDeleted = Events(8)
    /// What the path led to has another name.
    ///
    /// - Since: 0.1.
    public static let selfMoved = Events(9)

    /// All of them.
    ///
    /// - Since: 0.1.
    public static let all: Events = [
      .created, .modified, .written, .attributes, .deleted, .moved, .selfDeleted, .selfMoved,
    ]
  }

  /// A path as it was watched, and the name of an entry where it is a directory's.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYFileEvent`.
  public struct Place: Hashable, Sendable {
    /// The path, as it was given to ``EventLoop/FileWatcher/watch(_:for:)``.
    ///
    /// - Since: 0.1.
    public let path: String
    /// The entry in it; `nil` where the event is of the path itself.
    ///
    /// - Since: 0.1.
    public let name: String?

    /// A place.
    ///
    /// - Since: 0.1.
    public init(path: String, name: String? = nil) {
      self.path = path
      self.name = name
    }
  }

  /// What has happened.
  ///
  /// - Since: 0.1.
  /// - Stands on: `GYFileEvent`.
  public enum Event: Hashable, Sendable {
    /// An entry has come into being.
    ///
    /// - Since: 0.1.
    case created(Place, isDirectory: Bool)
    /// Something was written, or the length was changed.
    ///
    /// - Since: 0.1.
    case modified(Place)
    /// A file that was open for writing has been closed.
    ///
    /// - Since: 0.1.
    case written(Place)
    /// Mode, owner, times or the number of links have changed.
    ///
    /// - Since: 0.1.
    case attributes(Place)
    /// An entry is gone.
    ///
    /// - Since: 0.1.
    case deleted(Place, isDirectory: Bool)
    /// An entry has another name, or is in another of the directories that are watched.
    ///
    /// - Since: 0.1.
    case moved(from: Place, to: Place)
    /// An entry has gone to where this watcher watches nothing. The cookie is that of the other
    /// half, which another watcher may hear of.
    ///
    /// - Since: 0.1.
    case movedOut(Place, cookie: UInt32)
    /// An entry has come from where this watcher watches nothing.
    ///
    /// - Since: 0.1.
    case movedIn(Place, cookie: UInt32)
    /// What the path led to is gone. It is not watched any more.
    ///
    /// - Since: 0.1.
    case selfDeleted(path: String)
    /// What the path led to has another name. It is still watched.
    ///
    /// - Since: 0.1.
    case selfMoved(path: String)
    /// The file system of the path is gone. It is not watched any more.
    ///
    /// - Since: 0.1.
    case unmounted(path: String)
    /// Events were lost, for the queue of the kernel was full. Look anew.
    ///
    /// - Since: 0.1.
    case overflowed
  }
}

extension EventLoop.FileWatcher.Event {
  /// `nil` for a kind that a newer C library knows.
  init?(_ event: GYFileEvent) {
    guard let path = event.path.map({ String(cString: $0) }) else {
      self = .overflowed
      return
    }
    let place = EventLoop.FileWatcher.Place(path: path, name: event.name.map(String.init(cString:)))
    let isDirectory = event.isDirectory != 0
    switch Int(event.event) {
    case Int(kGYFileCreated): self = .created(place, isDirectory: isDirectory)
    case Int(kGYFileModified): self = .modified(place)
    case Int(kGYFileWritten): self = .written(place)
    case Int(kGYFileAttributes): self = .attributes(place)
    case Int(kGYFileDeleted): self = .deleted(place, isDirectory: isDirectory)
    case Int(kGYFileMoved): self = .moved(from: .init(oldOf: event), to: place)
    case Int(kGYFileMovedOut): self = .movedOut(place, cookie: event.cookie)
    case Int(kGYFileMovedIn): self = .movedIn(place, cookie: event.cookie)
    case Int(kGYFileSelfDeleted): self = .selfDeleted(path: path)
    case Int(kGYFileSelfMoved): self = .selfMoved(path: path)
    case Int(kGYFileUnmounted): self = .unmounted(path: path)
    default: return nil
    }
  }
}

extension EventLoop.FileWatcher.Place {
  fileprivate init(oldOf event: GYFileEvent) {
    path = event.oldPath.map(String.init(cString:)) ?? ""
    name = event.oldName.map(String.init(cString:))
  }
}

extension EventLoop.FileWatcher.Place: CustomStringConvertible {
  /// The path, and the name behind it.
  ///
  /// - Since: 0.1.
  public var description: String {
    guard let name else { return path }
    return path.hasSuffix("/") ? path + name : "\(path)/\(name)"
  }
}
