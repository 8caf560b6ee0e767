import Glibc

/// The C core as its own tests use it: compiled once, by the C compiler that is there, into a
/// folder of its own. Nothing but a Swift toolchain is needed, which brings a clang and a blocks
/// runtime.
final class CBuild: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static let shared = Result { try CBuild() }

  private let folder = TemporaryFolder()
  private let compiler: String
  private let core: [String]
  private let support: [String]

  static let testFolder = "Tests/CoreTests"
  private static let flags = ["-std=gnu11", "-g", "-O1", "-pthread", "-Wall", "-Wextra"]
  // Assertions are compiled in. Hidden names are within reach of what the objects are linked into.
  private static let coreFlags =
    flags + [
      "-DGYRE_DEBUG=1", "-fPIC", "-fvisibility=hidden", "-I\(Place.root)/include",
      "-I\(Place.root)/Sources/CGyre", "-I\(Place.root)/\(testFolder)",
    ]
  private static let clientFlags =
    flags + ["-I\(Place.root)/cbindings/compat", "-I\(Place.root)/include"]

  private init() throws {
    compiler = try Self.findCompiler()
    let compile = Compile(compiler: compiler, flags: Self.coreFlags, folder: folder.path)
    core = try compile.objects(
      of: Place.files(in: "Sources/CGyre", ending: ".c"), in: "Sources/CGyre")
    let supportFolder = "\(Self.testFolder)/support"
    let supportFiles = Place.files(in: supportFolder, ending: ".c").filter {
      !$0.hasSuffix("Tests.c")
    }
    support = try compile.objects(of: supportFiles, in: supportFolder)
    try link(
      core + [
        "-shared", "-Wl,--version-script=\(Place.root)/cbindings/gyre.map", "-Wl,-z,nodelete",
      ], "libgyre.so")
    removeAtExit(folder.path)
  }

  private static func findCompiler() throws -> String {
    for candidate in [Place.tool("clang"), "clang", "gcc", "cc"] {
      if let run = try? Child.run(candidate, ["--version"]), run.ending == "exit 0" {
        return candidate
      }
    }
    throw Failure(description: "there is no C compiler")
  }

  /// Whether programs with blocks can be built.
  static let hasBlocks =
    Place.exists(Place.tool("clang")) && Place.exists(blocksRuntime)

  private static let runtimes = "\(Place.toolchain)/lib/swift/linux"
  private static let blocksRuntime = "\(runtimes)/libBlocksRuntime.so"
  private static let blocksLibraries = [blocksRuntime, "-Wl,-rpath,\(runtimes)"]
  private static let dispatch = "\(runtimes)/libdispatch.so"

  /// What tests of the main queue are given: one loads libdispatch itself, and the references of
  /// the others are weak.
  private static func dispatchOptions(_ file: String) -> [String] {
    guard file.contains("/mainQueue"), Place.exists(dispatch) else { return [] }
    if file.hasSuffix("LateTests.c") { return ["-DGYRE_TEST_DISPATCH=\"\(dispatch)\""] }
    return ["-Wl,--no-as-needed", dispatch, "-Wl,-rpath,\(runtimes)"]
  }

  private var clientLibraries: [String] {
    ["-L\(folder.path)", "-lgyre", "-Wl,-rpath,\(folder.path)"]
  }

  @discardableResult
  private func link(_ arguments: [String], _ name: String) throws -> String {
    let path = "\(folder.path)/\(name)"
    let run = try Child.run(compiler, arguments + ["-o", path, "-pthread"], seconds: 300)
    guard run.ending == "exit 0" else { throw Failure(description: run.errors) }
    return path
  }

  /// Builds a test program of the core: it is linked with the objects themselves, so that it
  /// reaches what the library hides.
  func coreTest(_ file: String) throws -> String {
    let usesBlocks = file.hasSuffix("BlocksTests.c")
    return try link(
      Self.coreFlags + (usesBlocks ? ["-fblocks"] : []) + [
        "\(Place.root)/\(Self.testFolder)/\(file)"
      ]
        + support + core + (usesBlocks ? Self.blocksLibraries : [])
        + Self.dispatchOptions(file),
      file.split(separator: "/").joined(separator: "-") + ".test")
  }

  /// Builds a program as one outside of the tree would be.
  func client(_ path: String, _ name: String) throws -> String {
    try link(Self.clientFlags + ["\(Place.root)/\(path)"] + clientLibraries, name)
  }

  /// What the runner of the conformance cases is told.
  var conformanceOptions: [String] {
    let blocks = Self.hasBlocks ? Self.blocksLibraries : []
    return [
      "--cc", compiler + (Self.hasBlocks ? " -fblocks" : ""),
      "--cflags", Self.clientFlags.joined(separator: " "),
      "--libs", (clientLibraries + blocks).joined(separator: " "),
    ]
  }
}

/// Compiles several files, as many at a time as there are processors.
private struct Compile {
  let compiler: String
  let flags: [String]
  let folder: String

  func objects(of files: [String], in source: String) throws -> [String] {
    var rest = files[...]
    var running: [(child: Child, file: String)] = []
    while !rest.isEmpty || !running.isEmpty {
      while running.count < processors, let file = rest.popFirst() {
        let arguments = flags + ["-c", "\(Place.root)/\(source)/\(file)", "-o", object(file)]
        running.append((try Child(compiler, arguments), file))
      }
      let (child, file) = running.removeFirst()
      guard child.finish(seconds: 300) == "exit 0" else {
        throw CBuild.Failure(description: "\(file): \(child.errors)")
      }
    }
    return files.map(object)
  }

  private func object(_ file: String) -> String {
    "\(folder)/\(file.split(separator: "/").joined(separator: "-")).o"
  }

  private var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}

/// An object that lives as long as the process is never let go.
private func removeAtExit(_ folder: String) {
  folderToRemove.value = folder
  atexit {
    if let folder = folderToRemove.value { _ = try? Child.run("rm", ["-rf", folder]) }
  }
}

private let folderToRemove = Box<String?>(nil)
