import Gyre
import Testing

@Suite struct EventLoopPerformAndWaitTests {
  @Test func theCallerGetsWhatTheClosureReturns() throws {
    let worker = LoopThread()
    defer { worker.end() }
    let answer = try onThread {
      Result { try worker.loop.performAndWait(in: .default) { worker.loop.isCurrent ? 42 : 0 } }
    }.get()
    #expect(answer == 42)
    let other = try worker.loop.performAndWait(in: .common) { "common" }
    #expect(other == "common")
    let several = try worker.loop.performAndWait(in: ["unused", .default]) { "several" }
    #expect(several == "several")
  }

  @Test func noModeAtAllIsRefused() {
    #expect(throws: GyreError.invalid) { try EventLoop.main.performAndWait(in: []) {} }
  }

  @Test func whatTheClosureThrowsIsToldFromWhatTheLoopThrows() {
    let worker = LoopThread()
    let loop = worker.loop
    func outcome(
      _ call: () throws(EventLoop.PerformError<Refusal>) -> Int
    ) -> String {
      do throws(EventLoop.PerformError<Refusal>) {
        return "\(try call())"
      } catch {
        switch error {
        case .thrown(let refusal): return "thrown \(refusal.number)"
        case .notCalled(let error): return "not called: \(error.errno)"
        }
      }
    }
    let work = { @Sendable (number: Int) throws(Refusal) -> Int in
      if number < 0 { throw Refusal(number: number) }
      return number
    }
    var outcomes: [String] = []
    for number in [1, -1] {
      outcomes.append(
        outcome { () throws(EventLoop.PerformError<Refusal>) in
          try loop.performAndWait(in: .default) { () throws(Refusal) in try work(number) }
        })
      outcomes.append(
        outcome { () throws(EventLoop.PerformError<Refusal>) in
          try loop.performAndWait(in: .common) { () throws(Refusal) in try work(number) }
        })
    }
    worker.end()
    outcomes.append(
      outcome { () throws(EventLoop.PerformError<Refusal>) in
        try loop.performAndWait(in: .default) { () throws(Refusal) in try work(1) }
      })
    outcomes.append(
      outcome { () throws(EventLoop.PerformError<Refusal>) in
        try loop.performAndWait(in: []) { () throws(Refusal) in try work(1) }
      })
    #expect(
      outcomes
        == [
          "1", "1", "thrown -1", "thrown -1", "not called: \(GyreError.loopEnded.errno)",
          "not called: \(GyreError.invalid.errno)",
        ])
  }

  @Test func aClosureMayThrowAnyError() {
    let number = onThread {
      do throws(EventLoop.PerformError<any Error>) {
        try EventLoop.current.performAndWait(in: .default) { throw Refusal(number: 7) }
        return 0
      } catch .thrown(let error) {
        return (error as? Refusal)?.number ?? -1
      } catch {
        return -2
      }
    }
    #expect(number == 7)
  }

  @Test func onTheLoopsOwnThreadTheCallIsMadeAtOnce() {
    let answer = onThread { try? EventLoop.current.performAndWait(in: "never run") { 7 } }
    #expect(answer == 7)
  }

  @Test func anEndedLoopRefuses() {
    let loop = onThread { EventLoop.current }
    #expect(throws: GyreError.loopEnded) { try loop.performAndWait(in: .default) {} }
  }

  @Test func aCallerThatWaitsIsToldWhenTheThreadEnds() {
    let loop = Box<EventLoop?>(nil)
    let isKnown = Event()
    let isWaitedFor = Event()
    let thread = Thread {
      loop.value = .current
      isKnown.happen()
      _ = isWaitedFor.wait()
    }
    #expect(isKnown.wait())
    let error = Box<GyreError?>(nil)
    let waiter = Thread {
      error.value = errorOf { () throws(GyreError) in
        try loop.value?.performAndWait(in: .default) {}
      }
    }
    isWaitedFor.happen()
    thread.join()
    waiter.join()
    #expect(error.value == .loopEnded)
  }
}

private struct Refusal: Error {
  let number: Int
}
