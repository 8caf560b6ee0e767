import Gyre
import Testing

/// What the pool of a run and the hooks do at the points of a run. What all kinds of items share is
/// in `EventLoopItemTests`.
@Suite struct EventLoopDrainHookTests {
  // MARK: The pool of a run

  /// R201, R206.
  @Test func thePoolOfARunIsThereBeforeAllObserversAndDrainsAfterThem() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      for order in [Int.min, .max] {
        let observer = EventLoop.Observer([.entry, .beforeWaiting, .exit], order: order) {
          let word = "\(words[$0] ?? "?")\(order < 0 ? "-" : "+")"
          log.add(word)
          put(off: "(\(word))", log)
        }
        try? loop.add(observer, to: .default)
      }
      try? loop.add(EventLoop.Timer(after: .milliseconds(1)) { log.add("timer") }, to: .default)
      loop.run()
      return log.text
    }
    #expect(
      text == """
        entry- entry+ waiting- waiting+ (waiting+) (waiting-) (entry+) (entry-) timer exit- exit+ \
        (exit+) (exit-)
        """)
  }

  /// R203.
  @Test func aPassThatDoesNotWaitDrainsToo() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let source = EventLoop.Source { log.add("source") }
      let observer = EventLoop.Observer(.beforeSources) { _ in
        put(off: "deferred", log)
      }
      try? loop.add(source, to: .default)
      try? loop.add(observer, to: .default)
      for _ in 0..<2 {
        source.signal()
        loop.run(mode: .default, for: .zero)
        log.add("|")
      }
      return log.text
    }
    #expect(text == "source deferred | source deferred |")
  }

  /// R203: a run that never waits drains in each iteration, and not only at its end.
  @Test func aRunThatIsAlwaysBusyDrainsInEachIteration() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let source = Box<EventLoop.Source?>(nil)
      let left = Box(3)
      source.value = EventLoop.Source {
        log.add("source")
        put(off: "deferred", log)
        left.change { $0 -= 1 }
        if left.value > 0 { source.value?.signal() } else { loop.stop() }
      }
      source.value?.signal()
      if let source = source.value { try? loop.add(source, to: .default) }
      loop.run()
      source.value = nil
      return log.text
    }
    #expect(text == "source deferred source deferred source deferred")
  }

  /// R202.
  @Test func aNestedRunDrainsWhatItsOwnCallbacksDefer() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let inner = EventLoop.Timer(after: .zero) { put(off: "inner", log) }
      try? loop.add(inner, to: .tracking)
      let outer = EventLoop.Timer(after: .zero) {
        put(off: "outer", log)
        log.add("begin")
        loop.run(mode: .tracking)
        log.add("end")
      }
      try? loop.add(outer, to: .default)
      loop.run()
      return log.text
    }
    #expect(text == "begin inner end outer")
  }

  /// R202.
  @Test func aPoolAroundARunIsNotDrainedByIt() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      drainPool {
        put(off: "around", log)
        try? loop.add(EventLoop.Timer(after: .zero) { put(off: "inside", log) }, to: .default)
        loop.run()
        log.add("ran")
      }
      return log.text
    }
    #expect(text == "inside ran around")
  }

  @Test func aPoolInsideACallbackDrainsThere() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let timer = EventLoop.Timer(after: .zero) {
        put(off: "loop's", log)
        drainPool { put(off: "own", log) }
        log.add("end")
      }
      try? loop.add(timer, to: .default)
      loop.run()
      return log.text
    }
    #expect(text == "own end loop's")
  }

  @Test func aClosureHandedOverHasThePoolOfTheRun() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      _ = try? loop.perform(in: .default) {
        put(off: "deferred", log)
        log.add("closure")
      }
      loop.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "closure deferred")
  }

  /// What is deferred may run, stop and fill the loop.
  @Test func aDeferredClosureMayUseTheLoop() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      let timer = EventLoop.Timer(after: .zero) {
        try? DrainPool.defer {
          log.add("deferred")
          let nested = EventLoop.Timer(after: .zero) { put(off: "nested", log) }
          try? loop.add(nested, to: .tracking)
          loop.run(mode: .tracking)
          loop.stop()
        }
      }
      try? loop.add(timer, to: .default)
      log.add("\(loop.run())")
      return log.text
    }
    #expect(text == "deferred nested stopped")
  }

  // MARK: Hooks

  /// R204, R206.
  @Test func hooksAreCalledAtTheirPointsOnceThePoolIsDrained() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let hook = EventLoop.DrainHook(.all) { log.add(points[$0] ?? "?") }
      try? loop.add(hook, to: .default)
      let observer = EventLoop.Observer([.beforeWaiting, .exit], order: .max) { _ in
        log.add("observer")
        put(off: "deferred", log)
      }
      try? loop.add(observer, to: .default)
      try? loop.add(EventLoop.Timer(after: .milliseconds(1)) {}, to: .default)
      loop.run()
      return log.text
    }
    #expect(text == "observer deferred before-waiting observer deferred exit")
  }

  @Test func aHookIsCalledAtThePointsItAsksForAlone() {
    let (text, isKept) = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      for points: DrainPool.Points in [.beforePolling, .everyIteration, .beforeWaiting, .exit] {
        try? loop.add(
          EventLoop.DrainHook(points) { log.add("\(points.rawValue >> 28):\($0.rawValue >> 28)") },
          to: .default)
      }
      loop.run(mode: .default, for: .zero)
      let hook = EventLoop.DrainHook([.beforePolling, .exit], order: -4) { _ in }
      return (log.text, hook.points == [.beforePolling, .exit] && hook.order == -4)
    }
    #expect(text == "2:2 3:2 4:4")
    #expect(isKept)
  }

  /// R204.
  @Test func lowerOrdersAreCalledFirstAndEqualOnesInTheOrderOfAdding() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      for (order, word) in [(5, "5"), (.max, "max"), (-3, "-3a"), (.min, "min"), (-3, "-3b")] {
        _ = try? loop.onDrain(in: .default, at: .beforePolling, order: order) { log.add(word) }
      }
      loop.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "min -3a -3b 5 max")
  }

  /// R204.
  @Test func hooksBelongToTheirModes() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.addCommonMode(.tracking)
      try? loop.add(EventLoop.Source {}, to: ["one", "two", .default, .tracking])
      _ = try? loop.onDrain(in: "one", at: .exit) { log.add("one") }
      _ = try? loop.onDrain(in: ["one", "two"], at: .exit) { log.add("several") }
      _ = try? loop.onDrain(in: .common, at: .exit) { log.add("common") }
      for mode: EventLoop.Mode in ["one", "two", .default, .tracking] {
        log.add("\(mode == .tracking ? "tracking" : mode == .default ? "default" : mode.name):")
        loop.run(mode: mode, for: .zero)
      }
      return log.text
    }
    #expect(text == "one: one several two: several default: common tracking: common")
  }

  /// R202: the points of a nested run are those of its mode.
  @Test func aNestedRunCallsTheHooksOfItsMode() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      _ = try? loop.onDrain(in: .default, at: .exit) { log.add("outer") }
      _ = try? loop.onDrain(in: .tracking, at: .exit) { log.add("inner") }
      try? loop.add(EventLoop.Source {}, to: .tracking)
      try? loop.add(
        EventLoop.Timer(after: .zero) {
          loop.run(mode: .tracking, for: .zero)
          log.add("timer")
        }, to: .default)
      loop.run()
      return log.text
    }
    #expect(text == "inner timer outer")
  }

  /// R204.
  @Test func whatAHookDefersGoesIntoThePoolThatFollows() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      let hook = EventLoop.DrainHook([.beforePolling, .exit]) {
        let word = points[$0] ?? "?"
        log.add(word)
        put(off: "(\(word))", log)
      }
      try? loop.add(hook, to: .default)
      _ = try? loop.onDrain(in: .default, at: .beforePolling, order: 1) { log.add("second") }
      loop.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "before-polling second (before-polling) exit (exit)")
  }

  @Test func aHookMayEndItselfSoThatItIsCalledOnce() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      let own = Box<EventLoop.DrainHook?>(nil)
      let tracer = Tracer { log.add("let-go") }
      own.value = try? loop.onDrain(in: .default) {
        log.add("called")
        own.value?.invalidate()
        own.value = nil
        log.add("ended")
        tracer.touch()
      }
      for _ in 0..<2 { loop.run(mode: .default, for: .zero) }
      return log.text
    }
    #expect(text.hasPrefix("called ended"))
    #expect(!text.dropFirst().contains("called"))
  }

  @Test func aHookGoesOnWhenItIsDroppedAndEndsWithItsHolder() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      _ = try? loop.onDrain(in: .default, at: .exit) { log.add("dropped") }
      do {
        let hook = try? loop.onDrain(in: .default, at: .exit) { log.add("held") }
        let holder = hook.map { EventLoop.AutoCancel($0) }
        withExtendedLifetime(holder) { _ = loop.run(mode: .default, for: .zero) }
      }
      log.add("|")
      loop.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "dropped held | dropped")
  }

  @Test func aHookKeepsNoModeFromBeingEmpty() {
    let (result, count) = onThread {
      let log = Log()
      _ = try? EventLoop.current.onDrain(in: .default) { log.add("called") }
      return (EventLoop.current.run(), log.count)
    }
    #expect(result == .finished)
    #expect(count == 0)
  }

  @Test(arguments: [DrainPool.Points(), DrainPool.Points(rawValue: 1 << 40)])
  func aHookWithoutAPointIsNeverCalledAndEndsLikeAnyOther(none: DrainPool.Points) {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      do {
        let tracer = Tracer { log.add("let-go") }
        let hook = EventLoop.DrainHook(none) { _ in
          log.add("called")
          tracer.touch()
        }
        try? loop.add(hook, to: .default)
        loop.run(mode: .default, for: .milliseconds(1))
        log.add("\(hook.points.isEmpty) \(loop.contains(hook, in: .default))")
        hook.invalidate()
      }
      return log.text
    }
    #expect(text == "true true let-go")
  }

  @Test func aLoopOfAnotherThreadRefusesAHookAndLetsItGo() {
    let worker = LoopThread()
    defer { worker.end() }
    let (text, errors) = onThread {
      let log = Log()
      let one = errorOf { () throws(GyreError) in
        let tracer = Tracer { log.add("let-go") }
        try worker.loop.onDrain(in: .default) { tracer.touch() }
      }
      let several = errorOf { () throws(GyreError) in
        let tracer = Tracer { log.add("let-go") }
        try worker.loop.onDrain(in: .common) { tracer.touch() }
      }
      return (log.text, [one, several])
    }
    #expect(text == "let-go let-go")
    #expect(errors == [.madeForAnotherLoop, .madeForAnotherLoop])
  }

  @Test func aLoopThatHasEndedRefusesAHook() {
    let loop = onThread { EventLoop.current }
    #expect(errorOf { () throws(GyreError) in try loop.onDrain(in: .default) {} } == .loopEnded)
  }
}

private let words: [EventLoop.Activity: String] = [
  .entry: "entry", .beforeWaiting: "waiting", .exit: "exit",
]

private let points: [DrainPool.Points: String] = [
  .beforeWaiting: "before-waiting", .beforePolling: "before-polling", .exit: "exit",
]
