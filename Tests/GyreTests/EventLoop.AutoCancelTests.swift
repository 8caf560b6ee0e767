import Gyre
import Testing

/// F50.
@Suite struct EventLoopAutoCancelTests {
  @Test func anItemEndsWhenItsHolderIsDropped() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      do {
        let timer = makeTimer(log)
        try? loop.add(timer, to: .default)
        let holder = EventLoop.AutoCancel(timer)
        loop.run(mode: .default, for: .zero)
        withExtendedLifetime(holder) { log.add("\(timer.isValid)") }
      }
      log.add("\(loop.run(mode: .default, for: .zero))")
      return log.text
    }
    #expect(text == "fires true let go finished")
  }

  @Test func anItemByItselfGoesOnWhenItIsDropped() {
    let log = Log()
    onThread {
      try? EventLoop.current.add(makeTimer(log), to: .default)
      EventLoop.current.run(mode: .default, for: .zero)
    }
    #expect(log.text == "fires let go")
  }

  @Test func aClosureIsTakenBackWhenItsHolderIsDropped() {
    let state = onThread {
      let request = try? EventLoop.current.perform(in: .default, after: .zero) {}
      _ = request.map { EventLoop.AutoCancel($0) }
      return request?.state
    }
    #expect(state == .cancelled)
  }

  @Test func whatIsKeptGoesOn() {
    let state = onThread {
      let request = try? EventLoop.current.perform(in: .default, after: .zero) {}
      do {
        let holder = request.map { EventLoop.AutoCancel($0) }
        holder?.keep()
        holder?.cancel()
      }
      EventLoop.current.run(mode: .default, for: .zero)
      return request?.state
    }
    #expect(state == .ran)
  }

  @Test func itMayEndBeforeItIsDropped() {
    let text = onThread {
      let log = Log()
      let timer = makeTimer(log)
      let holder = EventLoop.AutoCancel(timer)
      log.add("\(timer.isValid)")
      holder.cancel()
      holder.cancel()
      log.add("\(timer.isValid)")
      return log.text
    }
    #expect(text == "true let go false")
  }

  @Test func anotherThreadMayDropIt() {
    let isValid = onThread {
      let timer = makeTimer(Log())
      let holder = Box<EventLoop.AutoCancel?>(EventLoop.AutoCancel(timer))
      onThread { holder.value = nil }
      return timer.isValid
    }
    #expect(!isValid)
  }

  private func makeTimer(_ log: Log) -> EventLoop.Timer {
    let tracer = Tracer { log.add("let go") }
    return EventLoop.Timer(every: .seconds(1000), after: .zero) {
      tracer.touch()
      log.add("fires")
    }
  }
}
