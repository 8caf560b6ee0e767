/// Plays the scenes of the documentation: `scenes` lists them, `scenes 3` plays the third,
/// `scenes all` plays them all.
@main
enum Main {
  private static let misuse: Int32 = 64

  @MainActor
  static func main() throws {
    switch CommandLine.arguments.dropFirst().first {
    case nil: list()
    case "all": for index in Scene.all.indices { try play(index) }
    case let argument?: try play(number(argument))
    }
  }

  private static func list() {
    for (index, scene) in Scene.all.enumerated() { print("\(index + 1). \(scene.title)") }
  }

  @MainActor
  private static func play(_ index: Int) throws {
    print("# \(index + 1). \(Scene.all[index].title)")
    try Scene.all[index].play()
  }

  /// The index of the scene that an argument names.
  private static func number(_ argument: String) -> Int {
    if let number = Int(argument), Scene.all.indices.contains(number - 1) { return number - 1 }
    complain("scenes: no scene \"\(argument)\"; usage: scenes [all | 1...\(Scene.all.count)]")
    endProcess(misuse)
  }
}
