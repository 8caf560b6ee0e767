import Gyre
import Testing

@Suite struct EventLoopManualClockTests {
  @Test func itStandsStillUntilItIsMoved() {
    let clock = EventLoop.ManualClock(date: .init(since1970: .seconds(1_000_000_000)))
    #expect(clock.now == .start)
    #expect(clock.date == .init(since1970: .seconds(1_000_000_000)))
    #expect(!clock.advancesItself)
    clock.advance(by: .milliseconds(1500))
    #expect(clock.now == .start.advanced(by: .milliseconds(1500)))
    clock.advance(to: EventLoop.ManualClock.Instant(offset: .seconds(1)))
    #expect(clock.now.offset == .milliseconds(1500))
    clock.advance(to: EventLoop.ManualClock.Instant(offset: .seconds(7)))
    #expect(clock.now.offset == .seconds(7))
    clock.advance(to: EventLoop.WallClock.Instant(since1970: .seconds(1_000_000_060)))
    #expect(clock.now.offset == .seconds(60))
    #expect(clock.date.since1970 == .seconds(1_000_000_060))
  }

  @Test func itDoesNotGoBack() {
    let clock = EventLoop.ManualClock()
    clock.advance(by: .seconds(2))
    clock.advance(by: .zero)
    clock.advance(to: .start)
    #expect(clock.now.offset == .seconds(2))
  }

  @Test func itsMomentsAreOrdered() {
    let early = EventLoop.ManualClock.Instant(offset: .seconds(1))
    #expect(early < early.advanced(by: .nanoseconds(1)))
    #expect(early.duration(to: .start) == .seconds(-1))
  }

  @Test func aTimerIsDueWhenTheClockShowsIt() {
    let text = onThread {
      let (loop, clock, log) = (EventLoop.current, EventLoop.ManualClock(), Log())
      try? loop.setClock(clock)
      _ = try? EventLoop.scheduleOnCurrent(after: .seconds(5), in: .default) { log.add("fired") }
      clock.advance(by: .seconds(5) - .nanoseconds(1))
      loop.run(mode: .default, for: .zero)
      log.add("not yet")
      clock.advance(by: .nanoseconds(1))
      loop.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "not yet fired")
  }

  @Test func movingItEndsTheSleepOfALoop() throws {
    let clock = EventLoop.ManualClock()
    let worker = try EventLoopThread(name: "manual", clock: clock)
    let (shown, hasFired) = (Box<Duration?>(nil), Event())
    try worker.loop.schedule(after: .seconds(3600), in: .default) {
      shown.value = clock.now.offset
      hasFired.happen()
    }
    clock.advance(by: .seconds(3600))
    #expect(hasFired.wait())
    #expect(shown.value == .seconds(3600))
    worker.stop()
    try worker.join()
  }

  @Test func aDayRunsInNoTimeAndTheSameEachTime() {
    func day() -> [String] {
      onThread {
        let (loop, log) = (EventLoop.current, Box<[String]>([]))
        let clock = EventLoop.ManualClock(advancesItself: true)
        try? loop.setClock(clock)
        let note = { @Sendable (word: String) in
          log.change { $0.append("\(clock.now.offset) \(word)") }
        }
        for period in [1, 60, 61, 3600, 86_400] {
          _ = try? EventLoop.scheduleOnCurrent(every: .seconds(period), in: .default) {
            note("\(period)")
          }
        }
        note("\(loop.run(mode: .default, for: .seconds(86_400)))")
        return log.value
      }
    }
    let first = day()
    #expect(first.count == 86_400 + 1440 + 1416 + 24 + 1 + 1)
    #expect(first == day())
    #expect(first.last == "86400.0 seconds timedOut")
  }

  @Test func runsUpToAMomentGoByIt() {
    let (results, end) = onThread {
      let (loop, clock) = (EventLoop.current, EventLoop.ManualClock(advancesItself: true))
      try? loop.setClock(clock)
      try? loop.add(EventLoop.Source {}, to: .default)
      var results = [loop.run(until: EventLoop.now + .seconds(1000))]
      results.append(loop.run(mode: .default, until: EventLoop.now + .seconds(100)))
      results.append(loop.run(mode: .default, for: .seconds(10)))
      return (results, clock.now.offset)
    }
    #expect(results == [.timedOut, .timedOut, .timedOut])
    #expect(end == .seconds(1110))
  }

  @Test func aRunUntilAConditionGoesByIt() {
    let (isTrue, end) = onThread {
      let (loop, clock) = (EventLoop.current, EventLoop.ManualClock(advancesItself: true))
      try? loop.setClock(clock)
      let isTrue = loop.run(mode: .default, for: .seconds(500)) { false }
      return (isTrue, clock.now.offset)
    }
    #expect(!isTrue)
    #expect(end == .seconds(500))
  }

  @Test func momentsOfTimersAreOfTheLoopsClock() {
    let (next, moved, now) = onThread {
      let (loop, clock) = (EventLoop.current, EventLoop.ManualClock())
      try? loop.setClock(clock)
      clock.advance(by: .seconds(100_000))
      let start = EventLoop.now
      let timer = EventLoop.Timer(at: start + .seconds(3)) {}
      try? loop.add(timer, to: .default)
      let next = timer.nextFire
      timer.reschedule(at: start + .seconds(9))
      return (
        next.map { $0 - start }, loop.nextDeadline(in: .default).map { $0 - start },
        EventLoop.now - start
      )
    }
    #expect(next == .seconds(3))
    #expect(moved == .seconds(9))
    #expect(now == .zero)
  }

  @Test func clocksAreComparedByIdentity() {
    let clock = EventLoop.ManualClock()
    let (own, before, after) = onThread {
      let loop = EventLoop.current
      let before = loop.clock
      try? loop.setClock(clock)
      let own = loop.clock
      try? loop.setClock(nil)
      return (own, before, loop.clock)
    }
    #expect(own == clock)
    #expect(own.map { Set([$0, clock]).count } == 1)
    #expect(clock != EventLoop.ManualClock())
    #expect(before == nil && after == nil)
  }
}
