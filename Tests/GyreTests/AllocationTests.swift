import Glibc
import Gyre
import TestSupport
import Testing

/// What takes memory and what does not, counted on the loop's thread; and what comes of having
/// none.
@Suite(.enabled(if: allocations_are_counted()))
struct AllocationTests {
  // MARK: Counts

  /// What calls a closure of the program again and again.
  enum Caller: CaseIterable, Sendable {
    case timer, source, descriptorSource, fileSource, observer, drainHook
  }

  @Test(arguments: Caller.allCases)
  func aCallbackAllocatesNothing(caller: Caller) {
    let (calls, made) = onThread {
      let calls = Count()
      let scene = Scene(caller, calls)
      let made = allocations { scene.pass() }
      return (calls.value, made)
    }
    #expect(calls >= rounds)
    #expect(made == 0)
  }

  @Test func keepingAnObjectUntilTheLoopDrainsAllocatesNothing() {
    let made = onThread {
      let loop = EventLoop.current
      let object = Count()
      let source = EventLoop.Source {
        for _ in 0..<10 { DrainPool.extendLifetime(of: object) }
      }
      try? loop.add(source, to: .default)
      return allocations {
        source.signal()
        loop.run(mode: .default, for: .zero)
      }
    }
    #expect(made == 0)
  }

  @Test func aPoolWithAnObjectInItAllocatesNothing() {
    let made = onThread {
      let object = Count()
      return allocations { drainPool { DrainPool.extendLifetime(of: object) } }
    }
    #expect(made == 0)
  }

  /// The closure captures nothing, so what it takes is its own place in the pool.
  @Test func deferringTakesOneAllocation() {
    let made = onThread { allocations { drainPool { try? DrainPool.defer {} } } }
    #expect(made == rounds)
  }

  @Test func performingTakesOneAllocation() {
    let made = onThread {
      let loop = EventLoop.current
      return allocations {
        try? loop.perform(in: .default) {}
        loop.run(mode: .default, for: .zero)
      }
    }
    #expect(made == rounds)
  }

  /// F32: what it takes once, it takes for any number of passes.
  @Test func aRunUntilAConditionAllocatesNothingInAPass() {
    let (few, many) = onThread {
      let loop = EventLoop.current
      let again = EventLoop.Source {}
      try? loop.add(again, to: .default)
      let passes = { (count: Int) in
        var left = count
        loop.run(mode: .default) {
          again.signal()
          left -= 1
          return left <= 0
        }
      }
      return (allocations { passes(10) }, allocations { passes(1000) })
    }
    #expect(few == many)
  }

  /// A signal handler may do these.
  @Test func signallingWakingAndStoppingAllocateNothing() {
    let made = onThread {
      let source = EventLoop.Source {}
      let loop = EventLoop.current
      try? loop.add(source, to: .default)
      return allocations {
        source.signal()
        loop.wakeUp()
        loop.stop()
      }
    }
    #expect(made == 0)
  }

  // MARK: No memory

  /// A stack of pools grows when the ninth is pushed.
  @Test func withoutMemoryForAPoolTheOneAroundItTakesWhatIsDeferred() {
    let text = onThread {
      let log = Log()
      inPools(8) {
        put(off: "outer", log)
        allocations_refuse(1)
        drainPool {
          log.add("\(allocations_refused())")
          put(off: "inner", log)
        }
        log.add("between")
      }
      return log.text
    }
    #expect(text == "1 between inner outer")
  }

  @Test func withoutMemoryAClosureIsRefusedAndLetGoUncalled() {
    let (text, error) = onThread {
      let log = Log()
      let error = drainPool {
        errorOf { () throws(GyreError) in
          let tracer = Tracer { log.add("let-go") }
          let work = {
            tracer.touch()
            log.add("called")
          }
          // The closure's place is the first, and the room in the pool the second.
          allocations_refuse(2)
          try DrainPool.defer(work)
        }
      }
      return (log.text, error)
    }
    #expect(text == "let-go")
    #expect(error == .noMemory)
  }

  @Test func withoutMemoryAnObjectIsKeptForGood() {
    let isKept = onThread {
      weak var seen: Tracer?
      drainPool {
        let object = Tracer {}
        seen = object
        allocations_refuse(1)
        DrainPool.extendLifetime(of: object)
      }
      let isKept = seen != nil
      if let seen { Unmanaged.passUnretained(seen).release() }
      return isKept
    }
    #expect(isKept)
  }

  @Test func withoutMemoryAPolicyIsRefused() {
    let (error, policy) = onThread {
      let loop = EventLoop.current
      let mode = EventLoop.Mode("not made so far")
      let error = errorOf { () throws(GyreError) in
        allocations_refuse(1)
        try loop.setDrainPolicy(.onExit, of: mode)
      }
      return (error, loop.drainPolicy(of: mode))
    }
    #expect(error == .noMemory)
    #expect(policy == .everyIteration)
  }
}

extension AllocationTests {
  /// Every allocation fails once, each in a child: the runtime ends a process that gets none.
  @Test func aHookThatOneOfSeveralModesRefusesIsInNone() {
    let endings = onThread { (1...30).map { hooking(refused: $0) } }
    #expect(endings.contains("exit 0"))
    #expect(endings.contains("exit 1"))
    #expect(!endings.contains("exit 2"))
  }

  /// - Returns: "exit 0" where the hook is in both modes, "exit 1" where it is in none and let go.
  private func hooking(refused number: Int) -> String {
    endingOfFork {
      close(STDERR_FILENO)
      for number in [SIGABRT, SIGILL, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: ["one", "two"])
      let (calls, letGo) = (Count(), Box(0))
      let error = errorOf { () throws(GyreError) in
        let tracer = Tracer { letGo.change { $0 += 1 } }
        let action = {
          tracer.touch()
          calls.value += 1
        }
        let modes: EventLoop.Modes = ["one", "two"]
        allocations_refuse(number)
        try loop.onDrain(in: modes, at: .exit, action)
      }
      allocations_refuse(0)
      for mode: EventLoop.Mode in ["one", "two"] { loop.run(mode: mode, for: .zero) }
      if error == nil { return calls.value == 2 && letGo.value == 0 ? 0 : 2 }
      return error == .noMemory && calls.value == 0 && letGo.value == 1 ? 1 : 2
    }
  }
}

/// How often what is counted is done.
private let rounds = 1000

/// How many allocations the calling thread makes when it does something often. The first times make
/// room for what the later ones need, and are not counted.
private func allocations(_ body: () -> Void) -> Int {
  for _ in 0..<10 { body() }
  let before = allocations_made()
  for _ in 0..<rounds { body() }
  return allocations_made() - before
}

private func inPools(_ depth: Int, _ body: () -> Void) {
  if depth == 0 { body() } else { drainPool { inPools(depth - 1, body) } }
}

/// It stays on one thread.
private final class Count {
  var value = 0
}

/// One item of a loop, and what makes the next pass call it.
private struct Scene {
  private let item: EventLoop.Item
  private let source: EventLoop.Source?
  private let mode = EventLoop.Mode("scene")

  init(_ caller: AllocationTests.Caller, _ calls: Count) {
    switch caller {
    case .timer:
      item = EventLoop.Timer(every: .nanoseconds(1), after: .zero) { calls.value += 1 }
    case .source: item = EventLoop.Source { calls.value += 1 }
    case .descriptorSource:
      item = EventLoop.DescriptorSource(descriptor: readablePipe) { _ in calls.value += 1 }
    case .fileSource:
      item = EventLoop.DescriptorSource(descriptor: thisFile) { _ in calls.value += 1 }
    case .observer: item = EventLoop.Observer(.beforeSources) { _ in calls.value += 1 }
    case .drainHook: item = EventLoop.DrainHook(.beforePolling) { _ in calls.value += 1 }
    }
    source = item as? EventLoop.Source
    try? EventLoop.current.add(EventLoop.Source {}, to: mode)
    try? EventLoop.current.add(item, to: mode)
  }

  func pass() {
    source?.signal()
    item.loop.run(mode: mode, for: .zero)
  }
}

// Both are open as long as the process.
private let thisFile = open(#filePath, O_RDONLY | O_CLOEXEC)
private let readablePipe = {
  let pipe = makePipe()
  _ = write(pipe.write, "x", 1)
  return pipe.read
}()
