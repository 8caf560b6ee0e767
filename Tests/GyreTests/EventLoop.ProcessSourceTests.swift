import Glibc
import Gyre
import Testing

@Suite struct EventLoopProcessSourceTests {
  @Test func theEndOfAChildIsToldWithItsCode() throws {
    let text = try ending(of: "exit 3")
    #expect(text == "exited(code: 3) false finished")
  }

  @Test func theSignalThatEndedAChildIsTold() throws {
    let text = try ending(of: "kill -9 $$")
    #expect(text == "signalled(9, dumpedCore: false) false finished")
  }

  @Test func theStatusIsLeftToWhoAsksForThat() throws {
    let pid = try shell("exit 5")
    let end = onThread {
      let end = Box<EventLoop.ProcessSource.End?>(nil)
      let source = try? EventLoop.ProcessSource(pid, leavingStatus: true) { end.value = $0 }
      guard let source else { return end.value }
      try? EventLoop.current.add(source, to: .default)
      EventLoop.current.run(mode: .default, for: .seconds(10))
      return end.value
    }
    var status: Int32 = 0
    #expect(end == .exited(code: 5))
    #expect(waitpid(pid, &status, 0) == pid)
    #expect(status == 5 << 8)
  }

  @Test func aChildWhoseStatusIsTakenIsToldWithout() throws {
    let pid = try shell("exit 0")
    let end = onThread {
      let end = Box<EventLoop.ProcessSource.End?>(nil)
      let source = try? EventLoop.ProcessSource(pid) { end.value = $0 }
      guard let source else { return end.value }
      waitpid(pid, nil, 0)
      try? EventLoop.current.add(source, to: "my.mode")
      EventLoop.current.run(mode: "my.mode", for: .seconds(10))
      return end.value
    }
    #expect(end == .unknown)
  }

  @Test func theClosureIsLetGoAfterItsCall() throws {
    let pid = try shell("exit 0")
    let text = onThread {
      let log = Log()
      weak var token: Box<Int>?
      var source: EventLoop.ProcessSource?
      do {
        let captured = Box(1)
        token = captured
        source = try? EventLoop.ProcessSource(pid) { _ in log.add("called \(captured.value)") }
      }
      guard let source else { return "refused" }
      try? EventLoop.current.add(source, to: .default)
      EventLoop.current.run(mode: .default, for: .seconds(10))
      return "\(log.text) \(token == nil) \(source.process == pid)"
    }
    #expect(text == "called 1 true true")
  }

  @Test func whatIsNoProcessIsRefused() {
    let errors = onThread {
      [-1, Int32.max].map { pid in
        do throws(GyreError) {
          _ = try EventLoop.ProcessSource(pid) { _ in }
          return GyreError?.none
        } catch {
          return error
        }
      }
    }
    #expect(errors[0] == .invalid)
    #expect(errors[1]?.errno == ESRCH)
  }

  private func ending(of script: String) throws -> String {
    let pid = try shell(script)
    return onThread {
      let log = Log()
      guard let source = try? EventLoop.ProcessSource(pid, perform: { log.add("\($0)") }) else {
        return "refused"
      }
      try? EventLoop.current.add(source, to: .default)
      let result = EventLoop.current.run(mode: .default, for: .seconds(10))
      return "\(log.text) \(source.isValid) \(result)"
    }
  }
}

private func shell(_ script: String) throws -> pid_t {
  var plan = SpawnPlan()
  defer { plan.end() }
  return try plan.start(["/bin/sh", "-c", script], [])
}
