import Gyre
import Testing

@Suite struct EventLoopSourceTests {
  @Test func manySignalsAreOneCall() {
    let text = onThread {
      let log = Log()
      let source = EventLoop.Source { log.add("performed") }
      try? EventLoop.current.add(source, to: .default)
      for _ in 0..<5 { source.signal() }
      EventLoop.current.run(mode: .default, for: .zero)
      EventLoop.current.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "performed")
  }

  @Test func aSignalDuringTheCallAsksForOneMore() {
    let text = onThread {
      let log = Log()
      let own = Box<EventLoop.Source?>(nil)
      let source = EventLoop.Source {
        log.add("performed")
        if log.count == 1 { own.value?.signal() }
      }
      own.value = source
      try? EventLoop.current.add(source, to: .default)
      source.signal()
      for _ in 0..<3 { EventLoop.current.run(mode: .default, for: .zero) }
      source.invalidate()
      return log.text
    }
    #expect(text == "performed performed")
  }

  @Test func aSignalBeforeTheFirstRunIsNotLost() {
    let text = onThread {
      let log = Log()
      let source = EventLoop.Source { log.add("performed") }
      source.signal()
      try? EventLoop.current.add(source, to: .default)
      EventLoop.current.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "performed")
  }

  @Test func lowerOrdersArePerformedFirst() {
    let text = onThread {
      let log = Log()
      let sources = [3, -1, 2].map { order in
        EventLoop.Source(order: order) { log.add("\(order)") }
      }
      for source in sources {
        try? EventLoop.current.add(source, to: .default)
        source.signal()
      }
      EventLoop.current.run(mode: .default, for: .zero)
      return log.text + " " + sources.map { "\($0.order)" }.joined(separator: " ")
    }
    #expect(text == "-1 2 3 3 -1 2")
  }

  @Test func anotherThreadSignalsAndWakes() {
    let worker = LoopThread()
    defer { worker.end() }
    let made = Box<EventLoop.Source?>(nil)
    let isPerformed = Event()
    try? worker.loop.perform(in: .default) {
      let source = EventLoop.Source { isPerformed.happen() }
      try? EventLoop.current.add(source, to: .default)
      made.value = source
    }
    #expect(waitUntil { made.value != nil && worker.loop.isWaiting })
    made.value?.signal()
    made.value?.loop.wakeUp()
    #expect(isPerformed.wait())
  }

  @Test func aSourceIsToldOfEachModeThatItEntersAndLeaves() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let source = EventLoop.Source(
        schedule: { there, mode in log.add("+\(mode)\(there === EventLoop.current)") },
        cancel: { there, mode in log.add("-\(mode)\(there === EventLoop.current)") },
        perform: {})
      try? loop.add(source, to: "a")
      try? loop.add(source, to: "a")
      try? loop.add(source, to: "b")
      loop.remove(source, from: "a")
      loop.remove(source, from: "a")
      source.invalidate()
      return log.text
    }
    #expect(text == "+atrue +btrue -atrue -btrue")
  }

  @Test func aModeThatBecomesCommonSchedulesTheCommonSources() {
    let text = onThread {
      let log = Log()
      let source = EventLoop.Source(schedule: { _, mode in log.add("\(mode)") }, perform: {})
      try? EventLoop.current.add(source, to: .common)
      try? EventLoop.current.addCommonMode("joins")
      return log.text
    }
    #expect(text == "kCFRunLoopDefaultMode joins")
  }

  @Test func theEndOfTheThreadCancelsASource() {
    let log = Log()
    onThread {
      let source = EventLoop.Source(cancel: { _, mode in log.add("\(mode)") }, perform: {})
      try? EventLoop.current.add(source, to: "some mode")
    }
    #expect(log.text == "some mode")
  }

  @Test func twoSourcesAreTwoEvenIfTheyLookTheSame() {
    let text = onThread {
      let log = Log()
      let action = { log.add("performed") }
      for source in [EventLoop.Source(perform: action), EventLoop.Source(perform: action)] {
        try? EventLoop.current.add(source, to: .default)
        source.signal()
      }
      EventLoop.current.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "performed performed")
  }

  @Test func aSourceIsPerformedAgainInsideItsOwnCall() {
    let text = onThread {
      let log = Log()
      let own = Box<EventLoop.Source?>(nil)
      let source = EventLoop.Source {
        log.add("in")
        if log.count == 1 {
          own.value?.signal()
          EventLoop.current.run(mode: .default, for: .zero)
        }
        log.add("out")
      }
      own.value = source
      try? EventLoop.current.add(source, to: .default)
      source.signal()
      EventLoop.current.run(mode: .default, for: .zero)
      source.invalidate()
      return log.text
    }
    #expect(text == "in in out out")
  }
}
