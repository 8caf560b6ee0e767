import Gyre
import Testing

@Suite struct EventLoopPerformOnCurrentTests {
  @Test func theClosureMayUseWhatBelongsToTheThread() {
    let text = onThread {
      // It is not `Sendable`.
      final class Words { var list: [String] = [] }
      let words = Words()
      let loop = EventLoop.current
      _ = try? EventLoop.performOnCurrent(in: .default, after: .nanoseconds(1)) {
        words.list.append("later")
      }
      _ = try? EventLoop.performOnCurrent(in: .default) { words.list.append("default") }
      _ = try? EventLoop.performOnCurrent(in: ["unused", .default]) { words.list.append("several") }
      _ = try? EventLoop.performOnCurrent(in: .common) { words.list.append("common") }
      words.list.append("first")
      loop.run()
      return words.list.joined(separator: " ")
    }
    #expect(text == "first default several common later")
  }

  @Test func noModeAtAllIsRefused() {
    let error = onThread {
      errorOf { () throws(GyreError) in _ = try EventLoop.performOnCurrent(in: []) {} }
    }
    #expect(error == .invalid)
  }

  /// The thread sanitizer has said good-bye to a thread by the last round of its destructors.
  @Test(.enabled(if: Sanitizer.current != .thread))
  func aThreadPastTheEndOfItsLoopIsRefused() {
    let error = Box<GyreError?>(nil)
    onThread {
      _ = EventLoop.current
      afterTheLoop {
        error.value = errorOf { () throws(GyreError) in
          _ = try EventLoop.performOnCurrent(in: .default) {}
        }
      }
    }
    #expect(error.value == .loopEnded)
  }

  @Test(arguments: [Duration.zero, .seconds(1000)])
  func takenBackOnItsOwnThreadItIsLetGoAtOnce(delay: Duration) {
    let text = onThread {
      let log = Log()
      let request = makeRequest(log, after: delay)
      log.add("\(request.map { "\($0.cancel())" } ?? "none")")
      return log.text
    }
    #expect(text == "let go at home cancelled")
  }

  @Test(arguments: [Duration.zero, .seconds(1000)])
  func takenBackOnAnotherThreadItIsLetGoOnItsOwn(delay: Duration) {
    let text = onThread {
      let log = Log()
      let request = makeRequest(log, after: delay)
      onThread { log.add("\(request.map { "\($0.cancel())" } ?? "none")") }
      EventLoop.current.run(mode: .default, for: .zero)
      return log.text
    }
    #expect(text == "cancelled let go at home")
  }

  @Test func itIsLetGoUncalledWhereTheThreadEndsFirst() {
    let log = Log()
    let request = onThread { makeRequest(log, after: .zero) }
    #expect(log.text == "let go at home")
    #expect(request?.state == .loopEnded)
  }

  private func makeRequest(_ log: Log, after delay: Duration) -> EventLoop.Request? {
    let loop = EventLoop.current
    let tracer = Tracer { log.add(loop.isCurrent ? "let go at home" : "let go elsewhere") }
    return try? EventLoop.performOnCurrent(in: .default, after: delay) {
      tracer.touch()
      log.add("called")
    }
  }

  /// While a thread takes its loop down the loop accepts nothing, and is not dead yet.
  @Test func whatIsTakenBackAsTheThreadEndsIsLetGo() {
    let log = Log()
    let request = Box<EventLoop.Request?>(nil)
    let ending = EndingThread {
      let tracer = Tracer { log.add("let-go") }
      request.value = try? EventLoop.performOnCurrent(in: "never") { tracer.touch() }
    }
    #expect(request.value?.cancel() == .cancelled)
    ending.goOn()
    #expect(log.text == "let-go")
  }

  @Test func aLoopThatSleepsIsWokenToLetGoOfWhatIsTakenBack() {
    let letGo = Event()
    let worker = LoopThread()
    defer { worker.end() }
    let request = Box<EventLoop.Request?>(nil)
    _ = try? worker.loop.performAndWait(in: .default) {
      let tracer = Tracer { letGo.happen() }
      request.value = try? EventLoop.performOnCurrent(in: "never") { tracer.touch() }
    }
    #expect(waitUntil { worker.loop.isWaiting })
    #expect(request.value?.cancel() == .cancelled)
    #expect(letGo.wait())
  }
}
