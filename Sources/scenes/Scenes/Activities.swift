import Gyre

extension Scene {
  static let activities = Scene(title: "What a run does, in order") {
    let loop = EventLoop.current
    let pipe = Pipe()
    let source = EventLoop.Source { print("    source") }
    let reader = EventLoop.DescriptorSource(descriptor: pipe.readEnd) { _ in
      print("    descriptor: \(pipe.read())")
      loop.stop()
    }
    let timer = EventLoop.Timer(after: .zero) {
      print("    timer")
      pipe.write("hello")
    }
    let once = EventLoop.Observer(.beforeWaiting, repeats: false) { _ in
      print("    once: adds the timer")
      try? loop.add(timer, to: .default)
    }
    let observers = [
      observer("first of all", order: .min), observer("last of all", order: .max),
    ]
    for item in [source, reader, once] + observers { try loop.add(item, to: .default) }
    source.signal()
    try loop.perform(in: .default) { print("    block") }
    print("run: \(loop.run())")
    for item in [source, reader] + observers { item.invalidate() }
  }

  private static func observer(_ name: String, order: Int) -> EventLoop.Observer {
    EventLoop.Observer(.all, order: order) { print("\(word(for: $0)), \(name)") }
  }

  private static func word(for activity: EventLoop.Activity) -> String {
    switch activity {
    case .entry: "entry"
    case .beforeTimers: "before timers"
    case .beforeSources: "before sources"
    case .beforeWaiting: "before waiting"
    case .afterWaiting: "after waiting"
    default: "exit"
    }
  }
}
