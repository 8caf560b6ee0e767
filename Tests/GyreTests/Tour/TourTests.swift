import Glibc
import Testing

/// The tour as its users see it: another process.
@Suite struct TourTests {
  private let tour = "\(Place.products)/tour"

  @Test func itCountsTheLinesAndWordsOfAPipe() throws {
    let child = try Child(tour, input: .pipe)
    child.write("one two\nthree\n\nfour five six")
    child.closeInput()
    #expect(child.finish() == "exit 0")
    #expect(
      child.output.contains("line 1: 2 words\nline 2: 1 word\nline 3: 0 words\nline 4: 3 words\n"))
    #expect(child.output.contains("totals: 4 lines, 6 words"))
    #expect(child.errors == "")
  }

  @Test func itCountsTheLinesOfAFileNamedOrGivenAsInput() throws {
    let folder = TemporaryFolder()
    let file = folder.file("lines", "a b\nc\n")
    for run in [
      try Child.run(tour, [file]), try Child.run(tour, input: .file(file)),
      try Child.run(tour, ["-"], input: .file(file)),
    ] {
      #expect(run.ending == "exit 0")
      #expect(run.output.contains("totals: 2 lines, 3 words"))
    }
  }

  @Test func itKeepsUpWithAFileOfManyLines() throws {
    let folder = TemporaryFolder()
    let count = 20_000
    let file = folder.file("lines", String(repeating: "a b c\n", count: count))
    let run = try Child.run(tour, [file])
    #expect(run.ending == "exit 0")
    #expect(run.output.contains("line \(count): 3 words"))
    #expect(run.output.contains("totals: \(count) lines, \(3 * count) words"))
  }

  @Test func anEmptyFileHasNoLines() throws {
    let folder = TemporaryFolder()
    let run = try Child.run(tour, [folder.file("empty", "")])
    #expect(run.ending == "exit 0")
    #expect(run.output.contains("totals: 0 lines, 0 words"))
    #expect(run.errors == "")
  }

  @Test func aFileThatCannotBeReadIsNamed() throws {
    let missing = try Child.run(tour, ["/no/such/file"])
    #expect(missing.ending == "exit 1")
    #expect(missing.errors == "tour: /no/such/file: No such file or directory\n")
    #expect(missing.output == "")
    let folder = try Child.run(tour, ["/"])
    #expect(folder.ending == "exit 1")
    #expect(folder.errors == "tour: /: Is a directory\n")
  }

  @Test func outputThatNobodyReadsEndsItWithAMessage() throws {
    let run = try Child.run(tour, output: .broken)
    #expect(run.ending == "exit 1")
    #expect(run.errors == "tour: standard output: Broken pipe\n")
  }

  @Test func closedStreamsEndItWithAMessage() throws {
    let output = try Child.run(tour, output: .closed)
    #expect(output.ending == "exit 1")
    #expect(output.errors == "tour: standard output: Bad file descriptor\n")
    let input = try Child.run(tour, input: .closed)
    #expect(input.ending == "exit 1")
    #expect(input.errors == "tour: standard input: Bad file descriptor\n")
  }

  @Test func aClosedInputIsNoMatterWhereAFileIsRead() throws {
    let folder = TemporaryFolder()
    let run = try Child.run(tour, [folder.file("lines", "a\n")], input: .closed)
    #expect(run.ending == "exit 0")
    #expect(run.output.contains("totals: 1 lines, 1 words"))
  }

  @Test func aWrongCommandLineShowsTheRightOne() throws {
    for arguments in [["--no-such-option"], ["a", "b"], ["-t"], ["-t", "soon"], ["-t", "0"]] {
      let run = try Child.run(tour, arguments)
      #expect(run.ending == "exit 64")
      #expect(run.errors.hasPrefix("tour: "))
      #expect(run.errors.contains("usage: tour"))
      #expect(run.output == "")
    }
  }

  @Test func helpIsPrintedForWhoAsks() throws {
    for option in ["-h", "--help"] {
      let run = try Child.run(tour, [option])
      #expect(run.ending == "exit 0")
      #expect(run.output.hasPrefix("usage: tour"))
      #expect(run.errors == "")
    }
  }

  @Test func whileItTracksTheTimerOfTheDefaultModePauses() throws {
    let child = try Child(tour, ["-t", "5"], input: .pipe)
    #expect(child.waitForOutput("default: tick 2,"))
    child.write("track\n")
    #expect(child.waitForOutput("the loop runs in tracking mode"))
    let tracked = child.output.count
    #expect(child.waitForOutput("tracking: tick 3"))
    #expect(waitForNextCommonTick(child))
    let whileTracking = child.output.dropFirst(tracked)
    #expect(whileTracking.contains("tracking: tick"))
    #expect(whileTracking.contains("common: tick"))
    #expect(!whileTracking.contains("default: tick"))

    child.write("default\n")
    #expect(child.waitForOutput("the loop runs in default mode"))
    let back = child.output.count
    let ticks = child.output.components(of: "default: tick").count - 1
    #expect(child.waitForOutput("default: tick \(ticks + 2),"))
    #expect(!child.output.dropFirst(back).contains("tracking: tick"))
    child.closeInput()
    #expect(child.finish() == "exit 0")
  }

  private func waitForNextCommonTick(_ child: Child) -> Bool {
    let ticks = child.output.components(of: "common: tick").count - 1
    return child.waitForOutput("common: tick \(ticks + 1)")
  }

  @Test func verboseShowsEveryActivity() throws {
    let child = try Child(tour, ["-v", "-t", "5"], input: .pipe)
    #expect(child.waitForOutput("default: tick 1"))
    child.write("track\n")
    #expect(child.waitForOutput("tracking mode: entry"))
    child.closeInput()
    #expect(child.finish() == "exit 0")
    for activity in [
      "entry", "before timers", "before sources", "before waiting", "after waiting", "exit",
    ] {
      #expect(child.output.contains("  default mode: \(activity)\n"))
    }
    #expect(child.output.contains("  tracking mode: exit\n"))
  }

  @Test func controlCEndsItWithTheTotals() throws {
    let child = try Child(tour, ["-t", "100000"], input: .pipe)
    child.write("one two three\n")
    #expect(child.waitForOutput("line 1: 3 words"))
    child.send(SIGINT)
    #expect(child.finish() == "exit 0")
    #expect(child.output.contains("totals: 1 lines, 3 words"))
    #expect(child.errors == "")
  }

  @Test(.enabled(if: Place.exists("/dev/ptmx")))
  func onATerminalItGreetsAndKnowsControlCAndControlD() throws {
    for (key, name) in [("\u{3}", "control-C"), ("\u{4}", "control-D")] {
      let child = try Child(tour, ["-t", "100000"], output: .terminal)
      #expect(child.waitForOutput("Type lines."), "\(name)")
      child.write("hello terminal\n")
      #expect(child.waitForOutput("line 1: 2 words"), "\(name)")
      child.write(key)
      #expect(child.waitForOutput("totals: 1 lines, 2 words"), "\(name)")
      #expect(child.finish() == "exit 0", "\(name)")
    }
  }
}

extension String {
  /// The parts between the places where a text stands.
  fileprivate func components(of text: String) -> [Substring] {
    var parts: [Substring] = []
    var rest = self[...]
    while let range = rest.firstRange(of: text) {
      parts.append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    return parts + [rest]
  }
}
