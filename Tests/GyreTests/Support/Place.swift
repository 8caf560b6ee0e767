import Glibc

/// Where things are: the tree, the toolchain, what has been built.
enum Place {
  /// The top of the tree.
  static let root = folder(of: #filePath, up: 4)

  /// The program that runs the tests.
  static let testBundle = resolved("/proc/self/exe")

  /// The folder of the products, beside it.
  static let products = folder(of: testBundle, up: 1)

  /// The toolchain that the tests run with: the folder that has `bin` and `lib`.
  static let toolchain: String = {
    let library = contents(of: "/proc/self/maps")?.split(separator: "\n")
      .first { $0.hasSuffix("/lib/swift/linux/libswiftCore.so") }
    guard let library, let start = library.firstIndex(of: "/") else { return "/usr" }
    return folder(of: String(library[start...]), up: 4)
  }()

  /// A program of the toolchain.
  static func tool(_ name: String) -> String { "\(toolchain)/bin/\(name)" }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The files below a folder of the tree, as paths from that folder, in order.
  static func files(in folder: String, ending suffix: String = "") -> [String] {
    var found: [String] = []
    collect(folder, "", suffix, &found)
    return found.sorted()
  }

  private static func collect(
    _ folder: String, _ prefix: String, _ suffix: String, _ found: inout [String]
  ) {
    guard let stream = opendir("\(root)/\(folder)/\(prefix)") else { return }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasPrefix(".") { continue }
      if entry.pointee.d_type == UInt8(DT_DIR) {
        collect(folder, "\(prefix)\(name)/", suffix, &found)
      } else if name.hasSuffix(suffix) {
        found.append(prefix + name)
      }
    }
  }

  static func contents(of path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func write(_ text: String, to path: String) {
    guard let file = fopen(path, "we") else { fatalError("cannot write \(path)") }
    fputs(text, file)
    fclose(file)
  }

  private static func folder(of path: String, up levels: Int) -> String {
    path.split(separator: "/").dropLast(levels).reduce(into: "") { $0 += "/" + $1 }
  }

  private static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

/// A folder of its own, which goes with the object.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let template = strdup("\(base)/gyre-tests.XXXXXX")
    defer { free(template) }
    guard let made = template.flatMap({ mkdtemp($0) }) else { fatalError("no temporary folder") }
    path = String(cString: made)
  }

  deinit { _ = try? Child.run("rm", ["-rf", path]) }

  func file(_ name: String, _ text: String) -> String {
    Place.write(text, to: "\(path)/\(name)")
    return "\(path)/\(name)"
  }
}
