import Glibc
import Gyre
import Testing

/// Signals belong to the process, in which other tests run at the same time: each test has a number
/// of its own.
@Suite struct EventLoopSignalSourceTests {
  @Test func aSignalCallsTheClosureOnTheLoopThatTheSourceWasMadeFor() {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      let source = try? EventLoop.SignalSource(40) { signal in
        log.add("\(signal.number) \(signal.process == getpid()) \(signal.user == getuid())")
        log.add("\(signal.lost) \(EventLoop.current === loop)")
      }
      guard let source else { return "refused" }
      try? loop.add(source, to: .default)
      raise(40)
      let result = loop.run(mode: .default, for: .seconds(10), returnAfterSource: true)
      source.invalidate()
      return "\(log.text) \(result) \(source.signal)"
    }
    #expect(text == "40 true true 0 true handledSource 40")
  }

  @Test func whatCameBeforeItWasAddedIsKept() {
    let calls = onThread {
      let loop = EventLoop.current
      var calls = 0
      guard let source = try? EventLoop.SignalSource(41, perform: { _ in calls += 1 }) else {
        return -1
      }
      for _ in 0..<3 { raise(41) }
      try? loop.add(source, to: "my.mode")
      for _ in 0..<5 { loop.run(mode: "my.mode", for: .zero) }
      source.invalidate()
      return calls
    }
    #expect(calls == 3)
  }

  @Test func eachOfSeveralSourcesHearsOfASignal() {
    let heard = onThread {
      let loop = EventLoop.current
      var heard: [String] = []
      let sources = ["a", "b"].compactMap { name in
        try? EventLoop.SignalSource(42) { _ in heard.append(name) }
      }
      for source in sources { try? loop.add(source, to: .default) }
      raise(42)
      for _ in 0..<3 { loop.run(mode: .default, for: .zero) }
      for source in sources { source.invalidate() }
      return heard
    }
    #expect(heard.sorted() == ["a", "b"])
  }

  @Test func aSourceThatIsInvalidatedPutsTheHandlerBack() {
    #expect(isDefault(43))
    let isKept = onThread {
      guard let source = try? EventLoop.SignalSource(43, perform: { _ in }) else { return false }
      let isInstalled = !isDefault(43)
      source.invalidate()
      return isInstalled && !source.isValid
    }
    #expect(isKept)
    #expect(isDefault(43))
  }

  @Test func aSourceThatIsDroppedLetsItsClosureGo() {
    let isGone = onThread {
      weak var token: Log?
      do {
        let log = Log()
        token = log
        let source = try? EventLoop.SignalSource(44) { _ in log.add("called") }
        source?.invalidate()
      }
      return token == nil
    }
    #expect(isGone)
    #expect(isDefault(44))
  }

  @Test func aSignalThatCannotBeWatchedIsRefused() {
    let error = onThread {
      do throws(GyreError) {
        _ = try EventLoop.SignalSource(SIGKILL) { _ in }
        return GyreError?.none
      } catch {
        return error
      }
    }
    #expect(error == .invalid)
  }
}

private func isDefault(_ signal: Int32) -> Bool {
  var action = sigaction()
  sigaction(signal, nil, &action)
  return action.__sigaction_handler.sa_handler == nil
}
