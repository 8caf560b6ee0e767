import Gyre

extension Scene {
  /// The main thread says what the worker's mode is, and stops the run that is under way; the
  /// worker runs again, in the new one.
  static let switchingModes = Scene(title: "A worker switches its mode by stop and re-entry") {
    let main = EventLoop.main
    let mode = Box<EventLoop.Mode?>("red")
    let later = Box<[EventLoop.Mode]>(["green", "red"])
    let idle = EventLoop.Source {}
    try main.add(idle, to: .default)
    let worker = SystemThread {
      let loop = EventLoop.current
      let change: @Sendable () -> Void = {
        mode.value = later.value.first
        later.change { $0 = Array($0.dropFirst()) }
        print("main: \(mode.value.map { "now \($0)" } ?? "enough")")
        loop.stop()
        if mode.value == nil { main.stop() }
      }
      let timers = ["red", "green"].compactMap { try? tick($0, thenOnMain: change) }
      while let mode = mode.value { loop.run(mode: mode) }
      for timer in timers { timer.invalidate() }
    }
    main.run()
    worker.join()
    idle.invalidate()
  }

  /// A timer of the mode of that name. Every second tick has the main thread do something.
  private static func tick(
    _ name: String, thenOnMain change: @escaping @Sendable () -> Void
  ) throws -> EventLoop.Timer {
    var ticks = 0
    let timer = EventLoop.Timer(every: .milliseconds(5)) {
      ticks += 1
      print("worker: \(name)")
      if ticks % 2 == 0 { try? EventLoop.main.performAndWait(in: .default, change) }
    }
    try EventLoop.current.add(timer, to: EventLoop.Mode(name))
    return timer
  }
}
