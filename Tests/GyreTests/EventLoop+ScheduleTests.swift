import Gyre
import Testing

@Suite struct EventLoopScheduleTests {
  @Test func aClosureIsScheduledOnTheLoopOfAnotherThread() {
    let worker = LoopThread()
    defer { worker.end() }
    let isThere = Box(false)
    let hasFired = Event()
    let timer = try? worker.loop.schedule(after: .milliseconds(1), in: .default) {
      isThere.value = worker.loop.isCurrent
      hasFired.happen()
    }
    #expect(hasFired.wait())
    #expect(isThere.value)
    #expect(waitUntil { timer?.isValid == false })
  }

  @Test func aRepeatingOneGoesOnUntilItIsInvalidated() {
    let worker = LoopThread()
    defer { worker.end() }
    let hasFired = Event()
    let timer = try? worker.loop.schedule(
      every: .milliseconds(1), overrun: .fromEnd, in: [.default, .tracking]
    ) { hasFired.happen() }
    for _ in 0..<3 { #expect(hasFired.wait()) }
    #expect(timer?.interval == .milliseconds(1))
    #expect(timer?.overrun == .fromEnd)
    #expect(timer.map { worker.loop.contains($0, in: [.default, .tracking]) } == true)
    timer?.invalidate()
    #expect(timer.map { worker.loop.contains($0, in: .default) } == false)
  }

  @Test func theLoopKeepsATimerThatIsDropped() {
    let text = onThread {
      let log = Log()
      _ = try? EventLoop.scheduleOnCurrent(after: .zero, in: .default) { log.add("fired") }
      EventLoop.current.run()
      return log.text
    }
    #expect(text == "fired")
  }

  @Test func aHolderEndsItWhenDropped() {
    let text = onThread {
      let log = Log()
      do {
        let timer = try? EventLoop.scheduleOnCurrent(every: .zero, in: .common) { log.add("fired") }
        _ = timer.map { EventLoop.AutoCancel($0) }
      }
      log.add("\(EventLoop.current.run())")
      return log.text
    }
    #expect(text == "finished")
  }

  @Test func aClosureOfTheCurrentThreadNeedNotBeSendable() {
    final class State { var count = 0 }
    let count = onThread {
      let state = State()
      _ = try? EventLoop.scheduleOnCurrent(after: .zero, in: [.default]) { state.count += 1 }
      EventLoop.current.run()
      return state.count
    }
    #expect(count == 1)
  }

  @Test func whatCannotBeScheduledIsLetGoAndTold() {
    let log = Log()
    let dead = onThread { EventLoop.current }
    let ended = errorOf { () throws(GyreError) in
      let tracer = Tracer { log.add("let-go") }
      _ = try dead.schedule(after: .zero, in: .default) { tracer.touch() }
    }
    let nowhere = onThread {
      errorOf { () throws(GyreError) in
        _ = try EventLoop.scheduleOnCurrent(every: .seconds(1), in: []) {}
      }
    }
    #expect(ended == .loopEnded)
    #expect(nowhere == .invalid)
    #expect(log.text == "let-go")
  }
}
