import Testing

/// The main loop serves libdispatch's main queue, and with it the main actor (R210 to R214). The
/// main thread of the tests is not theirs: each is a program of its own.
@Suite struct MainQueueTests {
  private func expect(_ lines: String..., of scene: String) throws {
    let run = try Child.run("\(Place.products)/mainqueue", [scene])
    #expect(run.errors == "")
    #expect(run.ending == "exit 0")
    #expect(run.output == lines.map { "\($0)\n" }.joined())
  }

  @Test func workOfTheMainQueueRunsOnTheLoop() throws {
    let run = try Child.run("\(Place.products)/mainqueue", ["queue"])
    #expect(run.ending == "exit 0", "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    // The thread of the global queue may be first.
    #expect(lines.sorted() == ["async main", "early main", "global other", "sync main"])
    #expect(lines.filter { $0.hasSuffix("main") } == ["early main", "sync main", "async main"])
  }

  @Test func timersOfTheMainQueueFireOnTheLoop() throws {
    try expect("tick main", "tick main", "tick main", "after main", of: "timers")
  }

  @Test func theMainActorIsOnTheLoop() throws {
    try expect(
      "task main", "slept main", "detached other", "hop main", "back main", of: "actor")
  }

  @Test func callbacksOfTheMainLoopAreIsolatedToTheMainActor() throws {
    try expect("hop main", of: "isolation")
  }

  @Test func aPrivateModeLeavesTheQueueAlone() throws {
    try expect("private main", "work main", "default main", of: "privateMode")
  }

  @Test func aRunInABlockOfTheQueueDoesNotServeIt() throws {
    try expect("outer finished main", "behind main", of: "nested")
  }

  /// F103.
  @Test func aFloodOfJobsStaysOnTheLoopAndDoesNotStarveTimers() throws {
    try expect("over main", of: "flood")
  }

  /// What the documentation warns of: the runtime takes the main thread away.
  @Test func anAsyncMainLeavesTheMainThread() throws {
    let folder = TemporaryFolder()
    let file = folder.file(
      "Async.swift",
      """
      import Glibc
      @main enum Main {
        static func isFirst(_ thread: UInt) -> Bool { UInt(pthread_self()) == thread }
        @MainActor static func main() async {
          let thread = UInt(pthread_self())
          try? await Task.sleep(for: .milliseconds(1))
          print(isFirst(thread))
        }
      }
      """)
    let program = "\(folder.path)/async"
    let build = try Child.run(
      Place.tool("swiftc"),
      ["-parse-as-library", "-swift-version", "6", "-o", program, file], seconds: 300)
    #expect(build.ending == "exit 0", "\(build.errors)")
    #expect(try Child.run(program).output == "false\n")
  }
}
