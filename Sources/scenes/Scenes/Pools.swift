import Gyre

/// Tells when it is released.
private final class Note {
  private let text: String

  init(_ text: String) { self.text = text }

  deinit { print("    released: the note \(text)") }

  /// Makes a note that lives until the pool drains.
  static func leave(_ text: String) {
    print("    a note \(text)")
    DrainPool.extendLifetime(of: Note(text))
  }
}

extension Scene {
  static let pools = Scene(title: "Pools drain before the loop sleeps") {
    let loop = EventLoop.current
    let source = EventLoop.Source {
      Note.leave("of the source")
      runInside(loop)
    }
    let timer = EventLoop.Timer(after: .zero) { loop.stop() }
    let addTimer = { _ = try? loop.add(timer, to: .default) }
    let observers = [
      observer(.entry, "entry", order: .min) {},
      observer(.beforeWaiting, "before waiting", order: .max, addTimer),
      observer(.exit, "exit", order: .max) {},
    ]
    let hook = try loop.onDrain(in: .default) { print("    the hook of the default mode") }
    for item in [source, hook] + observers { try loop.add(item, to: .default) }
    source.signal()
    print("run: \(loop.run())")
    for item in [source, hook] + observers { item.invalidate() }
  }

  /// What a run inside leaves is released inside; the notes around it stay.
  private static func runInside(_ loop: EventLoop) {
    let inner = EventLoop.Source { Note.leave("of the run inside") }
    try? loop.add(inner, to: "inside")
    inner.signal()
    print("    run inside: \(loop.runOnce(mode: "inside"))")
    inner.invalidate()
  }

  /// An observer at the end of the order that leaves a note.
  private static func observer(
    _ activity: EventLoop.Activity, _ name: String, order: Int, _ body: @escaping () -> Void
  ) -> EventLoop.Observer {
    EventLoop.Observer(activity, order: order) { _ in
      print(name)
      Note.leave("of \(name)")
      body()
    }
  }
}
