import Testing

/// What the compiler knows of the module's public declarations.
@Suite struct SymbolTests {
  @Test func everyPublicDeclarationIsDocumented() throws {
    let symbols = try SymbolGraph.shared.get().symbols
    #expect(symbols.count > 100)
    for symbol in symbols {
      #expect(!symbol.comment.isEmpty, "\(symbol.name)")
      #expect(symbol.comment.contains { $0.hasPrefix("- Since: ") }, "\(symbol.name)")
    }
  }

  /// The fixed part of a comment, of which what does not apply is left out.
  @Test func whatACommentPromisesComesInAFixedOrder() throws {
    let order = [
      "Parameter", "Parameters", "Returns", "Threads", "Callout", "Blocking", "Errors", "Since",
      "Stands on",
    ]
    for symbol in try SymbolGraph.shared.get().symbols {
      let places = symbol.comment.filter { $0.hasPrefix("- ") }.compactMap { line in
        order.lastIndex { line.hasPrefix("- \($0)") }
      }
      #expect(places == places.sorted(), "\(symbol.name)")
    }
  }

  @Test func noDeclarationIsOrNamesOneOfC() throws {
    let graph = try SymbolGraph.shared.get()
    #expect(graph.symbols.contains { $0.name == "EventLoop.Timer" })
    for symbol in graph.symbols {
      #expect(!symbol.isOfC, "\(symbol.name)")
      #expect(symbol.namesOfC == [], "\(symbol.name)")
    }
  }

  /// What the test above looks for, in a module that has it.
  @Test func aDeclarationThatNamesOneOfCIsFound() throws {
    let folder = TemporaryFolder()
    let file = folder.file(
      "Leak.swift",
      """
      public import CGyre
      public func leak(_ loop: GYRunLoopRef) -> GYRunLoopTimerContext? { nil }
      """)
    let run = try Child.run(
      Place.tool("swiftc"),
      [
        "-emit-module", "-swift-version", "6", "-module-name", "Leak",
        "-enable-upcoming-feature", "InternalImportsByDefault",
        "-module-cache-path", "\(folder.path)/cache", "-I", "\(Place.root)/include",
        "-emit-module-path", "\(folder.path)/Leak.swiftmodule", file,
      ], seconds: 300)
    #expect(run.ending == "exit 0", "\(run.errors)")
    let graph = try SymbolGraph(of: "Leak", in: folder.path)
    #expect(graph.symbols.map(\.comment.isEmpty) == [true])
    #expect(
      Set(graph.symbols.flatMap(\.namesOfC)) == ["GYRunLoopRef", "GYRunLoopTimerContext"])
  }

  /// No Foundation, no libdispatch: what the sources do not name they do not load.
  @Test func theSourcesImportTheStandardLibraryAndCAlone() throws {
    var imports: Set<Substring> = []
    for file in Place.files(in: "Sources/Gyre", ending: ".swift") {
      let text = try #require(Place.contents(of: "\(Place.root)/Sources/Gyre/\(file)"))
      for line in text.split(separator: "\n") {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "import"), place + 1 < words.count,
          !line.contains("//")
        else { continue }
        imports.insert(words[place + 1])
        if words[place + 1] == "CGyre" { #expect(line == "internal import CGyre", "\(file)") }
      }
    }
    #expect(imports == ["CGyre", "Glibc", "Musl", "Synchronization"])
  }
}

/// One public declaration.
private struct Symbol {
  let name: String
  let isOfC: Bool
  /// The lines of its comment.
  let comment: [String]
  /// The declarations of C that it names.
  let namesOfC: [String]

  init(_ json: JSON) {
    name = (json["pathComponents"]?.elements ?? []).compactMap(\.string).joined(separator: ".")
    isOfC = Self.isOfC(json["identifier"]?["precise"])
    comment = (json["docComment"]?["lines"]?.elements ?? []).compactMap { $0["text"]?.string }
    namesOfC = (json["declarationFragments"]?.elements ?? [])
      .filter { Self.isOfC($0["preciseIdentifier"]) }.compactMap { $0["spelling"]?.string }
  }

  private static func isOfC(_ identifier: JSON?) -> Bool {
    identifier?.string?.hasPrefix("c:") ?? false
  }
}

/// The public declarations of a module, but for those that the compiler or a protocol of the
/// standard library adds.
private struct SymbolGraph {
  static let shared = Result { try SymbolGraph(of: "Gyre", in: "\(Place.products)/Modules") }

  let symbols: [Symbol]

  init(of module: String, in modules: String) throws {
    let folder = TemporaryFolder()
    let run = try Child.run(
      Place.tool("swift-symbolgraph-extract"),
      [
        "-module-name", module, "-I", modules, "-I", "\(Place.root)/include",
        "-target", Self.target, "-minimum-access-level", "public",
        "-skip-synthesized-members", "-skip-inherited-docs",
        "-module-cache-path", "\(folder.path)/cache", "-output-dir", folder.path,
      ], seconds: 300)
    #expect(run.ending == "exit 0", "\(run.errors)")
    let text = try #require(Place.contents(of: "\(folder.path)/\(module).symbols.json"))
    symbols = try #require(JSON(text)?["symbols"]).elements.map(Symbol.init)
  }

  #if arch(arm64)
    private static let target = "aarch64-unknown-linux-gnu"
  #else
    private static let target = "x86_64-unknown-linux-gnu"
  #endif
}
