import Gyre
import Testing

@Suite struct EventLoopWallClockTests {
  typealias Date = EventLoop.WallClock.Instant

  @Test func datesCountFrom1970() {
    let now = Date.now
    #expect(now.since1970 > .seconds(1_700_000_000))
    #expect(Date.now >= now)
    #expect(Date.reference.since1970 == .seconds(978_307_200))
    #expect(now.advanced(by: .seconds(5)).duration(to: now) == .seconds(-5))
    #expect(now < now.advanced(by: .nanoseconds(1)))
  }

  @Test func theDateOfAManualClockIsTheDateOnItsThread() {
    let start = Date(since1970: .seconds(1_500_000_000))
    let (before, after) = onThread {
      let clock = EventLoop.ManualClock(date: start)
      try? EventLoop.current.setClock(clock)
      let before = Date.now
      clock.advance(by: .seconds(60))
      return (before, Date.now)
    }
    #expect(before == start)
    #expect(after == start.advanced(by: .seconds(60)))
  }

  @Test func aTimerAtADateIsNotEarly() {
    let isEarly = onThread {
      let isEarly = Box<Bool?>(nil)
      let date = Date.now.advanced(by: .milliseconds(4))
      let timer = EventLoop.Timer(at: date) { isEarly.value = Date.now < date }
      try? EventLoop.current.add(timer, to: .default)
      EventLoop.current.run(mode: .default, for: .seconds(10))
      return isEarly.value
    }
    #expect(isEarly == false)
  }

  @Test func aTimerAtADateMayRepeat() {
    let text = onThread {
      let (loop, log) = (EventLoop.current, Log())
      let clock = EventLoop.ManualClock(advancesItself: true)
      try? loop.setClock(clock)
      let date = Date.now.advanced(by: .seconds(10))
      let timer = EventLoop.Timer(at: date, every: .seconds(60), clockWasSet: { _ in }) {
        log.add("\(clock.now.offset)")
      }
      try? loop.add(timer, to: .default)
      loop.run(mode: .default, for: .seconds(140))
      return log.text
    }
    #expect(text == "10.0 seconds 70.0 seconds 130.0 seconds")
  }

  @Test func aTimerCanBeMovedToADateAndBack() {
    let left = onThread {
      let timer = EventLoop.Timer(after: .seconds(1)) {}
      try? EventLoop.current.add(timer, to: .default)
      var left: [Duration?] = []
      timer.reschedule(at: Date.now.advanced(by: .seconds(1000)))
      left.append(timer.nextFire.map { $0 - SuspendingClock.now })
      timer.reschedule(at: ContinuousClock.now + .seconds(2000))
      left.append(timer.nextFire.map { $0 - SuspendingClock.now })
      timer.reschedule(at: SuspendingClock.now + .seconds(3000))
      left.append(timer.nextFire.map { $0 - SuspendingClock.now })
      timer.nextFire = nil
      left.append(timer.nextFire.map { $0 - SuspendingClock.now })
      return left
    }
    for (found, wanted) in zip(left, [1000, 2000, 3000]) {
      #expect(found.map { $0 > .seconds(wanted - 100) && $0 <= .seconds(wanted) } == true)
    }
    #expect(left.last == .some(nil))
  }

  @Test func aTimerByTheContinuousClockIsNotEarly() {
    let isEarly = onThread {
      let isEarly = Box<Bool?>(nil)
      let moment = ContinuousClock.now + .milliseconds(4)
      let timer = EventLoop.Timer(at: moment) { isEarly.value = ContinuousClock.now < moment }
      try? EventLoop.current.add(timer, to: .default)
      EventLoop.current.run(mode: .default, for: .seconds(10))
      return isEarly.value
    }
    #expect(isEarly == false)
  }
}
