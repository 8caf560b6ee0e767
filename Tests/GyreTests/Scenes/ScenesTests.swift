import Testing

/// The scenes print what the documentation says they print, to the letter.
@Suite struct ScenesTests {
  private static let article = Article(Place.contents(of: "\(Place.root)/\(Article.path)") ?? "")
  private let scenes = "\(Place.products)/scenes"

  @Test(arguments: article.scenes)
  func aScenePrintsItsLog(scene: Article.Scene) throws {
    let run = try Child.run(scenes, ["\(scene.number)"])
    #expect(run.errors == "")
    #expect(run.ending == "exit 0")
    #expect(run.output == "# \(scene.number). \(scene.title)\n\(scene.log)")
  }

  @Test func theDocumentationHasAllScenes() throws {
    let titles = Self.article.scenes.map { "\($0.number). \($0.title)\n" }.joined()
    #expect(try Child.run(scenes).output == titles)
    #expect(Self.article.scenes.map(\.number) == Array(1...9))
  }

  @Test func allPlaysThemAll() throws {
    let log = Self.article.scenes.map { "# \($0.number). \($0.title)\n\($0.log)" }.joined()
    #expect(try Child.run(scenes, ["all"]).output == log)
  }

  @Test(arguments: ["0", "10", "-1", "third", ""])
  func anUnknownSceneIsNamed(argument: String) throws {
    let run = try Child.run(scenes, [argument])
    #expect(run.ending == "exit 64")
    #expect(run.output == "")
    #expect(run.errors == "scenes: no scene \"\(argument)\"; usage: scenes [all | 1...9]\n")
  }
}

/// The article that describes the scenes: a heading and a block with the log for each.
struct Article: Sendable {
  struct Scene: Sendable, CustomTestStringConvertible {
    let number: Int
    let title: String
    var log = ""
    var testDescription: String { "\(number)" }
  }

  static let path = "Sources/Gyre/Gyre.docc/Scenes.md"
  private(set) var scenes: [Scene] = []

  init(_ text: String) {
    var isInLog = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```text" || line == "```" {
        isInLog = line == "```text"
      } else if isInLog, let last = scenes.indices.last {
        scenes[last].log += line + "\n"
      } else if let scene = Self.scene(inHeading: line) {
        scenes.append(scene)
      }
    }
  }

  /// Of "## 3. Title".
  private static func scene(inHeading line: Substring) -> Scene? {
    guard line.hasPrefix("## "), let dot = line.firstIndex(of: "."),
      let number = Int(line[..<dot].dropFirst(3))
    else { return nil }
    return Scene(number: number, title: String(line[dot...].dropFirst(2)))
  }
}
