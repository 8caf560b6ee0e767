import Gyre

extension Scene {
  static let timersAndModes = Scene(title: "Timers pause with their modes") {
    try pauseAndResume()
    try addToTwoModes()
  }

  @MainActor
  private static func pauseAndResume() throws {
    let loop = EventLoop.current
    try loop.addCommonMode(.tracking)
    var heard: Set<String> = []
    var commonTicks = 0
    let ordinary = EventLoop.Timer(every: .milliseconds(10), after: .zero) {
      heard.insert("the ordinary timer")
    }
    let common = EventLoop.Timer(every: .milliseconds(10)) {
      heard.insert("the common timer")
      commonTicks += 1
      if commonTicks % 3 == 0 { loop.stop() }
    }
    try loop.add(ordinary, to: .default)
    try loop.add(common, to: .common)
    for name in ["default", "tracking", "default"] {
      heard = []
      loop.run(mode: name == "default" ? .default : .tracking)
      print("in \(name): \(heard.sorted(by: >).joined(separator: " and ")) ticked")
    }
    ordinary.invalidate()
    common.invalidate()
  }

  @MainActor
  private static func addToTwoModes() throws {
    let loop = EventLoop.current
    var ticks = 0
    let timer = EventLoop.Timer(every: .milliseconds(5)) {
      ticks += 1
      let mode = loop.currentMode == .tracking ? "tracking" : "default"
      print("in both by hand, one timer: tick \(ticks) in \(mode)")
      if ticks % 2 == 0 { loop.stop() }
    }
    try loop.add(timer, to: .default)
    try loop.add(timer, to: .tracking)
    loop.run(mode: .default)
    loop.run(mode: .tracking)
    loop.run(mode: .default)
    timer.invalidate()
  }
}
