import Glibc
import Gyre
import Testing

@Suite struct EventLoopFileWatcherTests {
  typealias Event = EventLoop.FileWatcher.Event
  typealias WatchedPlace = EventLoop.FileWatcher.Place

  @Test func whatHappensInADirectoryIsTold() {
    let folder = TemporaryFolder()
    _ = folder.file("a", "")
    let path = folder.path
    let events = eventsIn(path) {
      touch("\(path)/b")
      mkdir("\(path)/d", 0o700)
      unlink("\(path)/b")
    }
    #expect(
      events == [
        .created(WatchedPlace(path: path, name: "b"), isDirectory: false),
        .written(WatchedPlace(path: path, name: "b")),
        .created(WatchedPlace(path: path, name: "d"), isDirectory: true),
        .deleted(WatchedPlace(path: path, name: "b"), isDirectory: false),
      ])
  }

  @Test func aMoveHasBothNamesAndHalfOfOneHasACookie() {
    let folder = TemporaryFolder()
    _ = folder.file("a", "")
    let path = folder.path
    let outside = TemporaryFolder()
    let other = outside.file("x", "")
    let events = eventsIn(path, for: .moved) {
      rename("\(path)/a", "\(path)/b")
      rename("\(path)/b", other)
      rename(other, "\(path)/c")
    }
    #expect(events.count == 3)
    #expect(
      events.first
        == .moved(
          from: WatchedPlace(path: path, name: "a"), to: WatchedPlace(path: path, name: "b")))
    guard case .movedOut(let left, let cookie) = events[1],
      case .movedIn(let came, let otherCookie) = events[2]
    else {
      Issue.record("\(events)")
      return
    }
    #expect(left.description == "\(path)/b" && came.description == "\(path)/c")
    #expect(cookie != 0 && otherCookie != 0 && cookie != otherCookie)
  }

  @Test func aFileThatIsWatchedTellsOfItselfUntilItIsGone() {
    let folder = TemporaryFolder()
    let file = folder.file("a", "")
    let events = eventsIn(file, for: [.modified, .selfMoved, .selfDeleted]) {
      truncate(file, 1)
      rename(file, file + "b")
      unlink(file + "b")
    }
    #expect(
      events == [
        .modified(WatchedPlace(path: file)), .selfMoved(path: file), .selfDeleted(path: file),
      ])
  }

  @Test func aPathThatIsUnwatchedTellsNothingMore() {
    let folder = TemporaryFolder()
    let file = folder.file("a", "")
    let text = onThread {
      let log = Log()
      guard let watcher = try? EventLoop.FileWatcher(perform: { log.add("\($0)") }) else {
        return "refused"
      }
      try? watcher.watch(file)
      try? EventLoop.current.add(watcher, to: "my.mode")
      truncate(file, 1)
      let wasWatched = watcher.unwatch(file)
      let isWatched = watcher.unwatch(file)
      for _ in 0..<3 { EventLoop.current.run(mode: "my.mode", for: .zero) }
      watcher.invalidate()
      return "\(wasWatched) \(isWatched) \(log.text)"
    }
    #expect(text == "true false ")
  }

  @Test func whatTheSystemRefusesIsThrown() {
    let errors: [Int32?] = onThread {
      guard let watcher = try? EventLoop.FileWatcher(perform: { _ in }) else { return [] }
      let missing = error(of: watcher, "/nowhere/at/all")
      watcher.invalidate()
      return [missing?.errno, error(of: watcher, "/")?.errno]
    }
    #expect(errors == [ENOENT, EINVAL])
  }

  @Test func theClosureIsLetGoWithTheWatcher() {
    let isGone = onThread {
      weak var token: Log?
      do {
        let log = Log()
        token = log
        let watcher = try? EventLoop.FileWatcher { _ in log.add("called") }
        watcher?.invalidate()
      }
      return token == nil
    }
    #expect(isGone)
  }

  /// What a closure makes happen in a path, on a loop of its own.
  private func eventsIn(
    _ path: String, for asked: EventLoop.FileWatcher.Events = .all,
    _ happens: @escaping @Sendable () -> Void
  ) -> [Event] {
    onThread {
      let loop = EventLoop.current
      var events: [Event] = []
      guard let watcher = try? EventLoop.FileWatcher(perform: { events.append($0) }) else {
        return []
      }
      try? watcher.watch(path, for: asked)
      try? loop.add(watcher, to: .default)
      happens()
      while loop.run(mode: .default, for: .zero, returnAfterSource: true) == .handledSource {}
      watcher.invalidate()
      return events
    }
  }
}

private func touch(_ path: String) {
  close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
}

private func error(of watcher: EventLoop.FileWatcher, _ path: String) -> GyreError? {
  do throws(GyreError) {
    try watcher.watch(path)
    return nil
  } catch {
    return error
  }
}
