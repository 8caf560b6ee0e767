import Gyre
import Testing

@Suite struct EventLoopClockTests {
  private static func errorOf(_ body: () throws(GyreError) -> Void) -> GyreError? {
    do throws(GyreError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test func timersKeepTheirDistanceWhenTheClockChanges() {
    let left = onThread {
      let (loop, clock) = (EventLoop.current, EventLoop.ManualClock())
      let timer = EventLoop.Timer(after: .seconds(1000)) {}
      try? loop.add(timer, to: .default)
      try? loop.setClock(clock)
      return timer.nextFire.map { $0 - EventLoop.now }
    }
    #expect(left.map { $0 > .seconds(900) && $0 <= .seconds(1000) } == true)
  }

  @Test func aLoopThatRunsKeepsItsClock() {
    let error = onThread {
      let (loop, found) = (EventLoop.current, Box<GyreError?>(nil))
      _ = try? EventLoop.performOnCurrent(in: .default, after: .zero) {
        found.value = Self.errorOf { () throws(GyreError) in try loop.setClock(nil) }
        loop.stop()
      }
      loop.run(mode: .default, for: .seconds(10))
      return found.value
    }
    #expect(error == .busy)
  }

  @Test func anotherThreadCannotChangeIt() throws {
    let worker = try EventLoopThread()
    #expect(Self.errorOf { () throws(GyreError) in try worker.loop.setClock(nil) }?.errno == 1)
    worker.stop()
    try worker.join()
    let error = Self.errorOf { () throws(GyreError) in try worker.loop.setClock(nil) }
    #expect(error == .loopEnded)
    #expect(worker.loop.clock == nil)
  }

  @Test func theLoopOfAThreadGoesByItFromTheBeginning() throws {
    let clock = EventLoop.ManualClock(advancesItself: true)
    let worker = try EventLoopThread(clock: clock)
    #expect(worker.loop.clock == clock)
    worker.stop()
    try worker.join()
  }

  @Test func nowIsTheSuspendingClocksUnlessTheLoopHasAnother() {
    let before = SuspendingClock.now
    let now = onThread { EventLoop.now }
    #expect(before <= now && now <= SuspendingClock.now)
  }
}
