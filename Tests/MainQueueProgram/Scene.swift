import Dispatch
import Gyre

/// What a program may have the main queue do.
enum Scene: String {
  case queue, timers, actor, isolation, privateMode, nested, flood

  func play() throws {
    switch self {
    case .queue: playQueue()
    case .timers: playTimers()
    case .actor: playActor()
    case .isolation: try playIsolation()
    case .privateMode: try playPrivateMode()
    case .nested: playNested()
    case .flood: try playFlood()
    }
  }
}

/// Work from the thread itself, from another one, and from one that waits for it.
private func playQueue() {
  DispatchQueue.main.async { say("early") }
  DispatchQueue.global().async {
    say("global")
    DispatchQueue.main.sync { say("sync") }
    DispatchQueue.main.async {
      say("async")
      EventLoop.main.stop()
    }
  }
  EventLoop.main.run()
}

private func playTimers() {
  let ticker = DispatchSource.makeTimerSource(queue: .main)
  nonisolated(unsafe) var ticks = 0
  ticker.setEventHandler {
    say("tick")
    ticks += 1
    if ticks < 3 { return }
    ticker.cancel()
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(5)) {
      say("after")
      EventLoop.main.stop()
    }
  }
  ticker.schedule(deadline: .now(), repeating: .milliseconds(5))
  ticker.activate()
  EventLoop.main.run()
}

@MainActor private func sayOnActor() { say("hop") }

/// Before and after suspensions, by a sleep and by a call from elsewhere.
private func playActor() {
  Task { @MainActor in
    say("task")
    try? await Task.sleep(for: .milliseconds(5))
    say("slept")
    await Task.detached {
      say("detached")
      await sayOnActor()
    }.value
    say("back")
    EventLoop.main.stop()
  }
  EventLoop.main.run()
}

/// In the loop's own callbacks no hop is needed.
private func playIsolation() throws {
  try EventLoop.scheduleOnCurrent(after: .milliseconds(1), in: .default) {
    dispatchPrecondition(condition: .onQueue(.main))
    MainActor.assumeIsolated { sayOnActor() }
    EventLoop.main.stop()
  }
  EventLoop.main.run()
}

private func playPrivateMode() throws {
  let keep = EventLoop.Source {}
  try EventLoop.main.add(keep, to: "private")
  DispatchQueue.main.async { say("work") }
  EventLoop.main.run(mode: "private", for: .milliseconds(20))
  say("private")
  EventLoop.main.run(mode: .default, for: .zero)
  say("default")
}

/// A run inside a block of the main queue leaves what is behind it to the one around.
private func playNested() {
  DispatchQueue.main.async {
    say("outer \(EventLoop.main.run(mode: .default, for: .seconds(10)))")
  }
  DispatchQueue.main.async {
    say("behind")
    EventLoop.main.stop()
  }
  EventLoop.main.run()
}

/// A task that always has something to do for the main actor, each time on its thread, and timers
/// that fire all the same.
private func playFlood() throws {
  nonisolated(unsafe) var isOver = false
  nonisolated(unsafe) var turns = 0
  Task { @MainActor in
    while !isOver {
      turns += 1
      if !isOnMainThread { say("stray") }
      await Task.yield()
    }
    EventLoop.main.stop()
  }
  nonisolated(unsafe) var ticks = 0
  let timer = EventLoop.Timer(every: .milliseconds(1)) {
    ticks += 1
    if ticks >= 20 && turns >= 1000 { isOver = true }
  }
  try EventLoop.main.add(timer, to: .common)
  EventLoop.main.run()
  timer.invalidate()
  say("over")
}
