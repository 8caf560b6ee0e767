import Gyre

/// Has a thread for its work, which lives as long as it does.
private final class Indexer: Sendable {
  let thread: EventLoopThread

  init() throws(GyreError) { thread = try EventLoopThread(name: "indexer") }

  func index(_ word: String) throws(GyreError) {
    try thread.loop.performAndWait(in: .default) { print("indexed \(word)") }
  }

  deinit { print("the owner is released") }
}

extension Scene {
  static let owners = Scene(title: "A thread that ends with its owner") {
    var indexer: Indexer? = try Indexer()
    let loop = indexer?.thread.loop
    try indexer?.index("one")
    try indexer?.index("two")
    let isAlone = isKnownUniquelyReferenced(&indexer)
    print("held by its thread: \(isAlone ? "no" : "yes")")
    indexer = nil
    do throws(GyreError) {
      // Not in the default mode: the last iteration there may begin after this.
      try loop?.performAndWait(in: .modalPanel) { print("never called") }
    } catch {
      print("its loop: \(error)")
    }
  }
}
