import Gyre
import Testing

@Suite struct EventLoopObserverTests {
  @Test func theActivitiesOfARunComeInTheirOrder() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Observer(.all) { log.add(words[$0] ?? "?") }, to: .default)
      try? loop.add(EventLoop.Timer(after: .milliseconds(1)) { log.add("timer") }, to: .default)
      loop.run()
      return log.text
    }
    #expect(text == "entry timers sources waiting woken timer exit")
  }

  @Test func anObserverIsCalledAtTheActivitiesItAsksForAlone() {
    let text = onThread {
      let log = Log()
      let observer = EventLoop.Observer([.entry, .exit]) { log.add(words[$0] ?? "?") }
      try? EventLoop.current.add(observer, to: .default)
      try? EventLoop.current.add(EventLoop.Source {}, to: .default)
      EventLoop.current.run(mode: .default, for: .zero)
      return log.text + " \(observer.activities == [.entry, .exit]) \(observer.repeats)"
    }
    #expect(text == "entry exit true true")
  }

  @Test func lowerOrdersAreCalledFirst() {
    let text = onThread {
      let log = Log()
      for order in [5, .max, -3, .min, 0] {
        let observer = EventLoop.Observer(.beforeTimers, order: order) { _ in
          log.add(order == .min ? "min" : order == .max ? "max" : "\(order)")
        }
        if observer.order == order { try? EventLoop.current.add(observer, to: .default) }
      }
      try? EventLoop.current.add(EventLoop.Source {}, to: .default)
      EventLoop.current.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "min -3 0 5 max")
  }

  @Test func anObserverThatDoesNotRepeatIsCalledOnceAndIsInvalidThen() {
    let (text, isValid) = onThread {
      let log = Log()
      let observer = EventLoop.Observer(.all, repeats: false) { log.add(words[$0] ?? "?") }
      try? EventLoop.current.add(observer, to: .default)
      try? EventLoop.current.add(EventLoop.Source {}, to: .default)
      EventLoop.current.run(mode: .default, for: .zero)
      return (log.text, observer.isValid || observer.repeats)
    }
    #expect(text == "entry")
    #expect(!isValid)
  }

  @Test func anObserverKeepsNoModeFromBeingEmpty() {
    let (result, count) = onThread {
      let log = Log()
      try? EventLoop.current.add(EventLoop.Observer(.all) { _ in log.add("called") }, to: .default)
      return (EventLoop.current.run(), log.count)
    }
    #expect(result == .finished)
    #expect(count == 0)
  }

  @Test func anObserverIsNotCalledByRunsInsideItsOwnCall() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      let observer = EventLoop.Observer(.beforeTimers) { _ in
        log.add("in")
        loop.run(mode: .default, for: .zero)
        log.add("out")
      }
      try? loop.add(observer, to: .default)
      loop.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "in out")
  }
}

private let words: [EventLoop.Activity: String] = [
  .entry: "entry", .beforeTimers: "timers", .beforeSources: "sources",
  .beforeWaiting: "waiting", .afterWaiting: "woken", .exit: "exit",
]
