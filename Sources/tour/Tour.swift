import Gyre

/// The program: everything here happens on the main thread, in callbacks of its loop.
@MainActor
final class Tour {
  /// While so many reads are being counted no more is read.
  private static let mostJobs = 8

  private let loop = EventLoop.main
  private let worker: EventLoopThread
  private let options: Options
  private var reader: LineReader
  private var input: EventLoop.DescriptorSource?

  private var mode = EventLoop.Mode.default
  private var totals = Totals()
  private var linesAtTick = 0
  private var jobs = 0
  private var isAtEnd = false
  private var isOver = false
  private var failure: SystemError?

  /// - Parameter descriptor: Where the lines come from; `name` says so.
  init(_ options: Options, descriptor: Int32, name: String) throws {
    self.options = options
    worker = try EventLoopThread(name: "tour worker")
    reader = LineReader(descriptor, name: name)
    try loop.addCommonMode(.tracking)
    input = EventLoop.DescriptorSource(descriptor: descriptor) { [unowned self] _ in readSome() }
    try addInput()
    try addTimers()
    if options.isVerbose { try loop.add(observer(), to: .common) }
    let interrupt = EventLoop.Source { [unowned self] in endInput() }
    try loop.add(interrupt, to: .common)
    Interrupt.deliver(to: interrupt)
  }

  /// - Returns: the exit status.
  func run(greeting: String?) -> Int32 {
    if let greeting { say(greeting) }
    while !isOver {
      loop.run(mode: mode)
    }
    worker.finish()
    do { try worker.join() } catch { Terminal.complain("the worker: \(error)") }
    if failure == nil { say(totals.text) }
    guard let failure else { return 0 }
    Terminal.complain(failure.message)
    return 1
  }

  private func say(_ line: String) {
    do {
      try Terminal.print(line)
    } catch {
      fail(error)
    }
  }

  private func fail(_ error: SystemError) {
    if failure == nil { failure = error }
    isOver = true
    loop.stop()
  }
}

// MARK: - Input

extension Tour {
  private func addInput() throws {
    if let input { try loop.add(input, to: .common) }
  }

  private func readSome() {
    do {
      switch try reader.next() {
      case .lines(let lines): take(lines)
      case .end(let lines):
        take(lines)
        endInput()
      }
    } catch {
      fail(error)
    }
  }

  private func take(_ lines: [String]) {
    totals.lines += lines.count
    for line in lines {
      switch line {
      case "track": change(to: .tracking)
      case "default": change(to: .default)
      default: continue
      }
    }
    if !lines.isEmpty { count(lines) }
  }

  /// A loop runs in one mode at a time: the run ends, and the next one is in the other mode.
  private func change(to mode: EventLoop.Mode) {
    self.mode = mode
    say("the loop runs in \(name(of: mode)) mode")
    loop.stop()
  }

  private func endInput() {
    input?.invalidate()
    input = nil
    isAtEnd = true
    finishIfDone()
  }

  private func finishIfDone() {
    guard isAtEnd && jobs == 0 else { return }
    isOver = true
    loop.stop()
  }
}

// MARK: - The worker

extension Tour {
  /// Has the words of lines counted by the worker, which hands the result back.
  private func count(_ lines: [String]) {
    let first = totals.lines - lines.count + 1
    jobs += 1
    if jobs == Self.mostJobs, let input { loop.remove(input, from: .common) }
    do {
      try worker.perform {
        let counts = lines.map { $0.split(whereSeparator: \.isWhitespace).count }
        // The main loop lives as long as the process: it takes whatever it is handed.
        try? EventLoop.main.perform(in: .common) {
          MainActor.assumeIsolated { self.got(counts, first: first) }
        }
      }
    } catch {
      Terminal.complain("the worker: \(error)")
      got([], first: first)
    }
  }

  private func got(_ counts: [Int], first: Int) {
    for (line, count) in zip(first..., counts) {
      say("line \(line): \(count) \(count == 1 ? "word" : "words")")
    }
    totals.words += counts.reduce(0, +)
    jobs -= 1
    if jobs == Self.mostJobs - 1 { try? addInput() }
    finishIfDone()
  }
}

// MARK: - Timers and observers

extension Tour {
  private func addTimers() throws {
    try loop.add(timer(in: .default) { [unowned self] in tellSpeed() }, to: .default)
    try loop.add(timer(in: .tracking) { [unowned self] in tellTick(in: .tracking) }, to: .tracking)
    let common = EventLoop.Timer(every: options.tick) { [unowned self] in
      totals.commonTicks += 1
      say("common: tick \(totals.commonTicks)")
    }
    try loop.add(common, to: .common)
  }

  private func timer(in mode: EventLoop.Mode, _ action: @escaping () -> Void) -> EventLoop.Timer {
    EventLoop.Timer(every: options.tick) { [unowned self] in
      totals.ticks[mode, default: 0] += 1
      action()
    }
  }

  private func tellTick(in mode: EventLoop.Mode) {
    say("\(name(of: mode)): tick \(totals.ticks[mode, default: 0])")
  }

  private func tellSpeed() {
    let speed = Double(totals.lines - linesAtTick) / (options.tick / .seconds(1))
    linesAtTick = totals.lines
    let tick = totals.ticks[.default, default: 0]
    say("default: tick \(tick), \(Int(speed.rounded())) lines per second")
  }

  private func observer() -> EventLoop.Observer {
    EventLoop.Observer(.all) { [unowned self] activity in
      say("  \(name(of: loop.currentMode ?? mode)) mode: \(activity.words)")
    }
  }

  private func name(of mode: EventLoop.Mode) -> String {
    switch mode {
    case .default: "default"
    case .tracking: "tracking"
    default: mode.name
    }
  }
}

extension EventLoop.Activity {
  fileprivate var words: String {
    switch self {
    case .entry: "entry"
    case .beforeTimers: "before timers"
    case .beforeSources: "before sources"
    case .beforeWaiting: "before waiting"
    case .afterWaiting: "after waiting"
    case .exit: "exit"
    default: "activity \(rawValue)"
    }
  }
}
