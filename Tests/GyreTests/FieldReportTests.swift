import Gyre
import Testing

/// What went wrong elsewhere, where no suite of one type has it: see `FieldReports`.
@Suite struct FieldReportTests {
  /// F6.
  @Test func aTimerThatIsAddedLaterFiresAtItsMomentAndNotWhenItIsAdded() {
    let isEarly = onThread {
      let loop = EventLoop.current
      let isEarly = Box<Bool?>(nil)
      let moment = SuspendingClock.now + .milliseconds(30)
      let late = EventLoop.Timer(after: .milliseconds(30)) {
        isEarly.value = SuspendingClock.now < moment
      }
      let adds = EventLoop.Timer(after: .milliseconds(10)) { try? loop.add(late, to: .default) }
      try? loop.add(adds, to: .default)
      loop.run()
      return isEarly.value
    }
    #expect(isEarly == false)
  }

  /// F19: nobody runs the main loop here.
  @Test func aTimerOfALoopOnAThreadOfItsOwnIsAwaited() async {
    let worker = LoopThread()
    await withCheckedContinuation { continuation in
      try? worker.loop.perform(in: .default) {
        let timer = EventLoop.Timer(after: .milliseconds(5)) { continuation.resume() }
        try? EventLoop.current.add(timer, to: .default)
      }
    }
    worker.end()
  }

  /// F21: each ends not before its time, and the inner ones before the outer ones.
  @Test func nestedRunsEndEachAtItsOwnTime() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: ["outer", "middle", "inner"])
      func run(_ modes: ArraySlice<(EventLoop.Mode, Int)>) {
        guard let (mode, time) = modes.first else { return }
        let nest = EventLoop.Timer(after: .zero) { run(modes.dropFirst()) }
        try? loop.add(nest, to: mode)
        let start = SuspendingClock.now
        let result = loop.run(mode: mode, for: .milliseconds(time))
        let isEarly = SuspendingClock.now - start < .milliseconds(time)
        log.add("\(mode) \(result)\(isEarly ? " early" : "")")
      }
      run([("outer", 60), ("middle", 40), ("inner", 20)])
      return log.text
    }
    #expect(text == "inner timedOut middle timedOut outer timedOut")
  }

  /// F24.
  @Test func aTimerOfTheDefaultModeRestsWhileAnotherModeRuns() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.addCommonMode(.tracking)
      try? loop.add(EventLoop.Timer(after: .zero) { log.add("default") }, to: .default)
      try? loop.add(
        EventLoop.Timer(every: .seconds(1000), after: .zero) { log.add("common") }, to: .common)
      loop.run(mode: .tracking, for: .milliseconds(5))
      log.add("|")
      loop.run(mode: .default, for: .milliseconds(5))
      return log.text
    }
    #expect(text == "common | default")
  }

  /// F25.
  @Test func entryAndExitOfNestedRunsTellTheirModes() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let modes: [EventLoop.Mode] = ["one", "two", "three"]
      for (mode, next) in zip(modes, modes.dropFirst().map { Optional($0) } + [nil]) {
        let observer = EventLoop.Observer([.entry, .exit]) { activity in
          log.add("\(activity == .entry ? "+" : "-")\(loop.currentMode?.name ?? "none")")
        }
        try? loop.add(observer, to: mode)
        let nest = EventLoop.Timer(after: .zero) { if let next { loop.run(mode: next) } }
        try? loop.add(nest, to: mode)
      }
      loop.run(mode: modes[0])
      return log.text
    }
    #expect(text == "+one +two +three -three -two -one")
  }

  /// F44: whatever ends a run, what was deferred in it is called, and its hooks are.
  @Test func everyRunThatBeginsDrainsAtItsEnd() {
    let counts = onThread {
      let loop = EventLoop.current
      let (begun, deferred, hooks) = (Box(0), Box(0), Box(0))
      let modes: EventLoop.Modes = ["outer", "inner"]
      let entry = EventLoop.Observer(.entry) { _ in
        begun.change { $0 += 1 }
        try? DrainPool.defer { deferred.change { $0 += 1 } }
      }
      try? loop.add(entry, to: modes)
      try? loop.add(EventLoop.Source {}, to: modes)
      _ = try? loop.onDrain(in: modes, at: .exit) { hooks.change { $0 += 1 } }
      let depth = Box(0)
      let nest = EventLoop.Timer(every: .microseconds(100)) {
        depth.change { $0 += 1 }
        // By turns it times out, is stopped, and stops the run around it too.
        let stop = EventLoop.Timer(after: .zero) { loop.stop() }
        if depth.value % 3 != 0 { try? loop.add(stop, to: "inner") }
        loop.run(mode: "inner", for: .microseconds(200))
        stop.invalidate()
        if depth.value % 3 == 2 { loop.stop() }
      }
      try? loop.add(nest, to: "outer")
      for _ in 0..<20 { loop.run(mode: "outer", for: .seconds(10)) }
      return [begun.value, deferred.value, hooks.value]
    }
    #expect(counts[0] >= 40)
    #expect(counts == [counts[0], counts[0], counts[0]])
  }

  /// F69.
  @Test func nothingOfATimeOutStaysBehind() {
    let results = onThread {
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      return (0..<50).map { _ in
        loop.run(mode: .default, for: .milliseconds(1), returnAfterSource: true)
      }
    }
    #expect(results.count { $0 == .timedOut } == 50)
  }
}
