import Gyre

extension Scene {
  static let delayedWork = Scene(title: "Delayed work in one of two modes") {
    let loop = EventLoop.current
    for (mode, name) in [(EventLoop.Mode.tracking, "tracking"), (.default, "default")] {
      try loop.perform(in: [.default, .tracking], after: .milliseconds(5)) {
        print("performed in \(name)")
        EventLoop.current.stop()
      }
      loop.run(mode: mode)
    }
    try waitElsewhere(loop)
  }

  /// The work is due while the loop runs in a mode that is none of its own, and waits for one.
  private static func waitElsewhere(_ loop: EventLoop) throws {
    var ticks = 0
    let ticker = EventLoop.Timer(every: .milliseconds(10)) {
      ticks += 1
      if ticks == 3 { loop.stop() }
    }
    try loop.add(ticker, to: .modalPanel)
    let request = try loop.perform(in: [.default, .tracking], after: .milliseconds(5)) {
      print("performed in default")
      EventLoop.current.stop()
    }
    loop.run(mode: .modalPanel)
    print("after a run in modalPanel: \(request.state)")
    loop.run(mode: .default)
    print("after a run in default: \(request.state)")
    ticker.invalidate()
  }
}
