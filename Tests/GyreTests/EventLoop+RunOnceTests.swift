import Gyre
import Testing

@Suite struct EventLoopRunOnceTests {
  @Test func itReturnsAfterOneSource() {
    let calls = Log()
    let results = onThread {
      let loop = EventLoop.current
      for word in ["a", "b"] {
        let source = EventLoop.Source { calls.add(word) }
        try? loop.add(source, to: .default)
        source.signal()
      }
      return [loop.runOnce(mode: .default), loop.runOnce(mode: .default)]
    }
    #expect(results == [.handledSource, .handledSource])
    #expect(calls.text == "a b")
  }

  @Test func timersAndClosuresDoNotEndIt() {
    let calls = Log()
    let result = onThread {
      let loop = EventLoop.current
      let source = EventLoop.Source { calls.add("source") }
      try? loop.add(source, to: .default)
      try? loop.perform(in: .default) { calls.add("closure") }
      let timer = EventLoop.Timer(after: .milliseconds(1)) {
        calls.add("timer")
        source.signal()
      }
      try? loop.add(timer, to: .default)
      return loop.runOnce(mode: .default, until: SuspendingClock.now + .seconds(1000))
    }
    #expect(result == .handledSource)
    #expect(calls.text == "closure timer source")
  }

  @Test func theTimeOrAStopOrEmptinessEndsIt() {
    let results = onThread {
      let loop = EventLoop.current
      let empty = loop.runOnce(mode: .default, for: .seconds(1000))
      try? loop.perform(in: .default) { EventLoop.current.stop() }
      let stopped = loop.runOnce(mode: .default)
      try? loop.add(EventLoop.Source {}, to: .default)
      return [
        empty, stopped, loop.runOnce(mode: .default, for: .zero),
        loop.runOnce(mode: .default, until: ContinuousClock.now + .milliseconds(1)),
      ]
    }
    #expect(results == [.finished, .stopped, .timedOut, .timedOut])
  }
}
