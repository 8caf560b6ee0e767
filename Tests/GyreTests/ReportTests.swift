import CGyre
import Glibc
import Gyre
import Testing

/// Reports of misuse, each in a child of its own: they go to standard error. Under the thread
/// sanitizer a child may find a lock of the runtime taken.
@Suite(.enabled(if: Sanitizer.current != .thread))
struct ReportTests {
  @Test func aRunOnAnotherThreadIsReported() {
    let (ending, errors) = afterFork { other in _ = other.run() }
    #expect(ending == "exit 0")
    #expect(
      errors == "gyre: EventLoop.run(): only the loop's own thread can run it (R180)\n")
  }

  @Test func eachRunOnAnotherThreadIsReportedByItsName() {
    let (ending, errors) = afterFork { other in
      other.run(mode: .default, until: .now)
      other.run(until: .now)
      other.runOnce(mode: .default, until: .now)
      _ = other.limitDate(in: .default)
    }
    let calls = ["run(mode:until:)", "run(until:)", "runOnce(mode:until:)", "limitDate(in:)"]
    #expect(ending == "exit 0")
    #expect(
      errors.split(separator: "\n")
        == calls.map { "gyre: EventLoop.\($0): only the loop's own thread can run it (R180)" })
  }

  @Test func firingATimerOfAnotherThreadIsReported() {
    let timer = onThread { EventLoop.Timer(after: .zero) {} }
    let (ending, errors) = afterFork { _ in timer.fire() }
    #expect(ending == "exit 0")
    #expect(
      errors
        == "gyre: EventLoop.Timer.fire(): only the thread of its loop can call it (R191)\n")
  }

  @Test func anEmbeddingIsMadeForOneModeOfTheOwnLoop() {
    let (ending, errors) = afterFork { _ in
      let loop = EventLoop.current
      let thrown = onThread { embeddingError(of: loop, mode: .default) }
      if thrown != .madeForAnotherLoop { abort() }
      if embeddingError(of: loop, mode: "kCFRunLoopCommonModes") != .invalid { abort() }
    }
    #expect(ending == "exit 0")
    #expect(
      errors
        == """
        gyre: GYRunLoopEmbeddingCreate: only the loop's own thread may do that (R300)
        gyre: GYRunLoopEmbeddingCreate: the common modes' name stands for a set and cannot be run \
        (R16)

        """)
  }

  @Test func movingAClockBackIsReported() {
    let (ending, errors) = afterFork { _ in
      EventLoop.ManualClock().advance(by: .nanoseconds(-1))
    }
    #expect(ending == "exit 0")
    #expect(
      errors == "gyre: EventLoop.ManualClock.advance(by:): a clock does not go back (R312)\n")
  }

  @Test func aSecondLoopForAClockThatAdvancesItselfIsReported() {
    let (ending, errors) = afterFork { _ in
      let clock = EventLoop.ManualClock(advancesItself: true)
      try? EventLoop.current.setClock(clock)
      let isBusy = onThread {
        do throws(GyreError) { try EventLoop.current.setClock(clock) } catch {
          return error == .busy
        }
        return false
      }
      if !isBusy { exit(9) }
    }
    #expect(ending == "exit 0")
    #expect(errors.contains("another loop advances that clock (R313)"))
  }

  @Test func aReportGoesToTheHandlerOfTheProgram() {
    let (ending, errors) = afterFork { other in
      GYSetLogHandler({ line, _ in write(STDERR_FILENO, "handled: ", 9) }, nil)
      _ = other.run()
    }
    #expect(ending == "exit 0")
    #expect(errors == "handled: ")
  }

  /// Once in a process: so this takes a process where no other test has been.
  @Test func aNestedRunWithoutAModeIsReportedOnce() throws {
    let run = try Child.run(
      Place.testBundle,
      ["--testing-library", "swift-testing", "--filter", "aNestedRunHasToNameItsMode"])
    #expect(run.ending == "exit 0")
    let reports = (run.output + run.errors).split(separator: "\n").filter { $0.hasPrefix("gyre:") }
    #expect(
      reports == ["gyre: EventLoop.run(): a run inside another one has to name its mode (R42)"])
  }

  /// R205.
  @Test func deferringWithoutAPoolIsReported() {
    let (ending, errors) = afterFork { _ in
      try? DrainPool.defer {}
      DrainPool.extendLifetime(of: Tracer {})
    }
    #expect(ending == "exit 0")
    let line = "gyre: GYDefer: this thread has no pool (R205)\n"
    #expect(errors == line + line)
  }

  /// R16.
  @Test func aDrainPolicyOfTheCommonModesIsReported() {
    let (ending, errors) = afterFork { _ in
      let name = EventLoop.Mode("kCFRunLoopCommonModes")
      try? EventLoop.current.setDrainPolicy(.onExit, of: name)
      _ = EventLoop.current.drainPolicy(of: name)
    }
    #expect(ending == "exit 0")
    let mistake = "the common modes are a set; each mode has a policy of its own (R16)"
    #expect(
      errors == """
        gyre: GYRunLoopSetDrainPolicy: \(mistake)
        gyre: GYRunLoopGetDrainPolicy: \(mistake)

        """)
  }

  @Test func strictProcessesEndAfterAReport() {
    let (ending, errors) = afterFork { other in
      setenv("GYRE_STRICT", "1", 1)
      _ = other.run(mode: .default, for: .zero)
    }
    #expect(ending == "signal \(SIGABRT)")
    #expect(errors.hasPrefix("gyre: EventLoop.run(mode:for:): "))
  }

  /// Calls a function in a child of a thread, with the loop of another thread.
  ///
  /// - Returns: how the child ended, and what it wrote to standard error.
  private func afterFork(
    _ body: @escaping @Sendable (EventLoop) -> Void
  ) -> (ending: String, errors: String) {
    let other = onThread { EventLoop.current }
    return onThread {
      _ = EventLoop.current
      let pipe = makePipe()
      let ending = endingOfFork {
        dup2(pipe.write, STDERR_FILENO)
        // The test runner's handler would start a program that takes the crash apart.
        signal(SIGABRT, SIG_DFL)
        body(other)
        return 0
      }
      close(pipe.write)
      var buffer = [UInt8](repeating: 0, count: 1000)
      let count = read(pipe.read, &buffer, buffer.count)
      close(pipe.read)
      return (ending, String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self))
    }
  }
}

private func embeddingError(of loop: EventLoop, mode: EventLoop.Mode) -> GyreError? {
  do {
    _ = try EventLoop.Embedding(of: loop, mode: mode)
    return nil
  } catch {
    return error
  }
}
