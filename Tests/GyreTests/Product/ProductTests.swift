import Testing

/// What a program that uses the module gets.
@Suite struct ProductTests {
  @Test func aProgramLoadsNoFoundation() throws {
    let run = try Child.run("ldd", ["\(Place.products)/tour"])
    #expect(run.ending == "exit 0", "\(run.errors)")
    #expect(run.output.contains("libswiftCore.so"))
    #expect(!run.output.contains("Foundation"))
  }

  @Test func noNameOfCIsInTheInterface() throws {
    let interface = try interfaceOfTheModule()
    #expect(interface.contains("class EventLoop :"))
    for line in interface.split(separator: "\n") {
      #expect(!line.contains("GY"), "a type or constant of C")
      #expect(!line.contains("OpaquePointer"), "an object of C")
      #expect(!line.hasSuffix("import CGyre"), "what imports Gyre would see it")
    }
  }

  /// The public declarations of the module as the compiler prints them, without comments.
  private func interfaceOfTheModule() throws -> String {
    let folder = TemporaryFolder()
    let files = Place.files(in: "Sources/Gyre", ending: ".swift")
    let run = try Child.run(
      Place.tool("swiftc"),
      [
        "-emit-module", "-enable-library-evolution", "-swift-version", "6",
        "-module-name", "Gyre", "-module-cache-path", "\(folder.path)/modules",
        "-emit-module-path", "\(folder.path)/Gyre.swiftmodule",
        "-emit-module-interface-path", "\(folder.path)/Gyre.swiftinterface",
        "-enable-upcoming-feature", "InternalImportsByDefault",
        "-I", "\(Place.root)/include",
      ] + files.map { "\(Place.root)/Sources/Gyre/\($0)" },
      seconds: 300)
    #expect(run.ending == "exit 0", "\(run.errors)")
    return Place.contents(of: "\(folder.path)/Gyre.swiftinterface") ?? ""
  }

  @Test(arguments: Misuse.allCases)
  func misuseDoesNotCompile(misuse: Misuse) throws {
    let folder = TemporaryFolder()
    #expect(try typecheck(misuse.right, in: folder) == "exit 0")
    #expect(try typecheck(misuse.wrong, in: folder) == "exit 1")
  }

  /// What the types are there to prevent.
  enum Misuse: CaseIterable, Sendable {
    /// The common modes are a set, and a loop runs in one mode.
    case runningTheCommonModes
    /// A run blocks its thread.
    case runningInAnAsyncFunction
    /// What another thread is to call has to be safe there.
    case performingWhatIsNotSendable
    /// So has what it is to call later.
    case performingLaterWhatIsNotSendable
    /// An async function is on any thread.
    case performingOnTheCurrentLoopOfAnAsyncFunction
    /// Its thread may have another pool by then.
    case deferringInAnAsyncFunction
    case extendingALifetimeInAnAsyncFunction
    /// A pool ends on the thread that it begins on.
    case suspendingInAPool

    var right: String {
      switch self {
      case .runningTheCommonModes: "func f() { EventLoop.current.run(mode: .tracking) }"
      case .runningInAnAsyncFunction: "func f() { EventLoop.current.run() }"
      case .performingWhatIsNotSendable:
        "func f(_ loop: EventLoop) throws { let c = 1; try loop.perform(in: .common) { _ = c } }"
      case .performingLaterWhatIsNotSendable:
        "func f(_ c: C) throws { try EventLoop.performOnCurrent(in: .common) { _ = c } }"
      case .performingOnTheCurrentLoopOfAnAsyncFunction:
        "func f() throws { try EventLoop.performOnCurrent(in: .common) {} }"
      case .deferringInAnAsyncFunction:
        "func f(_ c: C) async throws { try drainPool { try DrainPool.defer { _ = c } } }"
      case .extendingALifetimeInAnAsyncFunction:
        "func f(_ c: C) async { drainPool { DrainPool.extendLifetime(of: c) } }"
      case .suspendingInAPool: "func f() async { drainPool {} }"
      }
    }

    var wrong: String {
      switch self {
      case .runningTheCommonModes: "func f() { EventLoop.current.run(mode: .common) }"
      case .runningInAnAsyncFunction: "func f() async { EventLoop.current.run() }"
      case .performingWhatIsNotSendable:
        "func f(_ loop: EventLoop, _ c: C) throws { try loop.perform(in: .common) { _ = c } }"
      case .performingLaterWhatIsNotSendable:
        """
        func f(_ loop: EventLoop, _ c: C) throws {
          try loop.perform(in: .common, after: .zero) { _ = c }
        }
        """
      case .performingOnTheCurrentLoopOfAnAsyncFunction:
        "func f() async throws { try EventLoop.performOnCurrent(in: .common) {} }"
      case .deferringInAnAsyncFunction:
        "func f(_ c: C) async throws { try DrainPool.defer { _ = c } }"
      case .extendingALifetimeInAnAsyncFunction:
        "func f(_ c: C) async { DrainPool.extendLifetime(of: c) }"
      case .suspendingInAPool: "func f() async { drainPool { await Task.yield() } }"
      }
    }
  }

  @Test(arguments: pagesWithExamples)
  func theExamplesInSwiftCompile(page: String) throws {
    let folder = TemporaryFolder()
    // A manifest is SwiftPM's.
    for example in try examples(in: page) where !example.contains("import PackageDescription") {
      #expect(try typecheck(example, in: folder) == "exit 0", "\(example)")
    }
  }

  /// The blocks of a page that are marked as Swift.
  private func examples(in page: String) throws -> [String] {
    let text = try #require(Place.contents(of: "\(Place.root)/\(page)"))
    var examples: [String] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```swift" {
        isInside = true
        examples.append("")
      } else if line == "```" {
        isInside = false
      } else if isInside {
        examples[examples.count - 1] += line + "\n"
      }
    }
    return examples
  }

  private static let pagesWithExamples: [String] = {
    let folder = "Sources/Gyre/Gyre.docc"
    return ["README.md"] + Place.files(in: folder, ending: ".md").map { "\(folder)/\($0)" }
  }()

  private func typecheck(_ text: String, in folder: TemporaryFolder) throws -> String {
    let file = folder.file("client.swift", "import Gyre\nclass C {}\n\(text)\n")
    return try Child.run(
      Place.tool("swiftc"),
      [
        "-typecheck", "-swift-version", "6", "-warnings-as-errors",
        "-module-cache-path", "\(Place.products)/ModuleCache",
        "-I", "\(Place.products)/Modules", "-I", "\(Place.root)/include", file,
      ],
      seconds: 300
    ).ending
  }
}
