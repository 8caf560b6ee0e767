import Testing

/// The tests that are written in C, each a program: so `swift test` runs everything there is to run
/// with a toolchain alone.
///
/// A sanitizer's run leaves them out: they would be compiled without it here, and the CMake build
/// runs all of them with each sanitizer.
@Suite(.enabled(if: Sanitizer.current == .none))
struct CTests {
  /// What comes of a program that prints why it failed.
  private func expectSuccess(
    _ run: (ending: String, output: String, errors: String), of name: String
  ) {
    #expect(
      run.ending == "exit 0", "\(name)\n\(run.output.suffix(4000))\n\(run.errors.suffix(2000))")
  }

  @Test(arguments: coreTests)
  func aTestProgramOfTheCorePasses(file: String) throws {
    let program = try CBuild.shared.get().coreTest(file)
    // Other tests run at the same time: everything may take longer than it says.
    let run = try Child.run(program, environment: ["TEST_TIMEOUT=4"], seconds: 240)
    expectSuccess(run, of: file)
  }

  @Test(arguments: conformanceCases)
  func aConformanceCaseGivesTheRightTrace(name: String) throws {
    let options = try CBuild.shared.get().conformanceOptions
    let run = try Child.run(
      "bash",
      ["\(Place.root)/\(conformanceFolder)/run.sh", "--timeout", "30"] + options + [name])
    expectSuccess(run, of: name)
    #expect(run.output.contains("1 passed, 0 failed"))
  }

  @Test(arguments: examples)
  func anExamplePrintsWhatItIsExpectedTo(name: String) throws {
    let expected = "\(Place.root)/cbindings/examples/expected/\(name)"
    let program = try CBuild.shared.get().client("cbindings/examples/\(name).c", name)
    let child = try Child(program, input: .pipe)
    child.write(Place.contents(of: "\(expected).in") ?? "")
    child.closeInput()
    #expect(child.finish() == "exit 0")
    #expect(child.output == Place.contents(of: "\(expected).txt"))
  }
}

private let conformanceFolder = "Tests/ConformanceTests"

private let coreTests = Place.files(in: CBuild.testFolder, ending: "Tests.c")
  .filter { CBuild.hasBlocks || !$0.hasSuffix("BlocksTests.c") }

private let conformanceCases = names(in: "\(conformanceFolder)/cases")
  .filter { CBuild.hasBlocks || !$0.hasSuffix("_blocks") }

/// Without those that need another library too: the CMake build has them, where that is there.
private let examples = names(in: "cbindings/examples")
  .filter { !["embed_glib", "embed_libuv", "glib_guest"].contains($0) }

private func names(in folder: String) -> [String] {
  Place.files(in: folder, ending: ".c").map { String($0.dropLast(2)) }
}
