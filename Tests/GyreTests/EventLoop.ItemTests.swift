import Glibc
import Gyre
import Synchronization
import Testing

/// What all kinds of items share.
@Suite struct EventLoopItemTests {
  enum Kind: CaseIterable, Sendable {
    case timer, source, descriptorSource, observer, drainHook

    func make(_ action: @escaping () -> Void) -> EventLoop.Item {
      switch self {
      case .timer: EventLoop.Timer(after: .seconds(1000), action)
      case .source: EventLoop.Source(perform: action)
      case .descriptorSource: EventLoop.DescriptorSource(descriptor: -1) { _ in action() }
      case .observer: EventLoop.Observer(.all) { _ in action() }
      case .drainHook: EventLoop.DrainHook(.all) { _ in action() }
      }
    }

    /// An item that is called as soon as a run finds it, and again and again but for the source.
    func makeReady(_ action: @escaping () -> Void) -> EventLoop.Item {
      switch self {
      case .timer: return EventLoop.Timer(every: .microseconds(1), after: .zero, action)
      case .source:
        let source = EventLoop.Source(perform: action)
        source.signal()
        return source
      case .descriptorSource:
        return EventLoop.DescriptorSource(descriptor: alwaysReady) { _ in action() }
      case .observer, .drainHook: return make(action)
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func anItemIsWhereItHasBeenAddedUntilItIsRemoved(kind: Kind) {
    let answers = onThread {
      let loop = EventLoop.current
      let item = kind.make {}
      var answers = [loop.contains(item, in: .default)]
      try? loop.add(item, to: .default)
      try? loop.add(item, to: .default)
      answers += [loop.contains(item, in: .default), loop.contains(item, in: .tracking)]
      loop.remove(item, from: .default)
      loop.remove(item, from: .default)
      return answers + [loop.contains(item, in: .default), item.isValid]
    }
    #expect(answers == [false, true, false, false, true])
  }

  @Test(arguments: Kind.allCases)
  func anItemOfTheCommonModesIsInAllOfThem(kind: Kind) {
    let answers = onThread {
      let loop = EventLoop.current
      let item = kind.make {}
      try? loop.addCommonMode(.tracking)
      try? loop.add(item, to: .common)
      let before = [loop.contains(item, in: .common), loop.contains(item, in: .tracking)]
      loop.remove(item, from: .common)
      return before + [loop.contains(item, in: .common), loop.contains(item, in: .tracking)]
    }
    #expect(answers == [true, true, false, false])
  }

  @Test(arguments: Kind.allCases)
  func anInvalidItemIsNowhereAndCannotBeAdded(kind: Kind) {
    let (isThere, isValid, error) = onThread {
      let loop = EventLoop.current
      let item = kind.make {}
      try? loop.add(item, to: .default)
      item.invalidate()
      item.invalidate()
      let error = errorOf { () throws(GyreError) in try loop.add(item, to: .default) }
      return (loop.contains(item, in: .default), item.isValid, error)
    }
    #expect(!isThere && !isValid)
    #expect(error == .invalid)
  }

  @Test(arguments: Kind.allCases)
  func anItemCanBeAddedToTheLoopOfItsMakerAlone(kind: Kind) {
    let worker = LoopThread()
    defer { worker.end() }
    let (isOwn, error) = onThread {
      let item = kind.make {}
      let error = errorOf { () throws(GyreError) in try worker.loop.add(item, to: .default) }
      return (item.loop === EventLoop.current, error)
    }
    #expect(isOwn)
    #expect(error == .madeForAnotherLoop)
  }

  @Test(arguments: Kind.allCases)
  func itsClosureIsLetGoWhenTheItemGoes(kind: Kind) {
    let text = onThread {
      let log = Log()
      do {
        let item = kind.make(tracing(log))
        try? EventLoop.current.add(item, to: .default)
        EventLoop.current.remove(item, from: .default)
        log.add("removed")
      }
      log.add("dropped")
      return log.text
    }
    #expect(text == "removed let-go dropped")
  }

  @Test(arguments: Kind.allCases)
  func invalidatingLetsTheClosureGo(kind: Kind) {
    let text = onThread {
      let log = Log()
      let item = kind.make(tracing(log))
      try? EventLoop.current.add(item, to: .default)
      item.invalidate()
      log.add("invalidated")
      return log.text + (item.isValid ? " still valid" : "")
    }
    #expect(text == "let-go invalidated")
  }

  @Test(arguments: Kind.allCases)
  func invalidatingBreaksTheRingOfAClosureThatHoldsItsItem(kind: Kind) {
    let text = onThread {
      let log = Log()
      do {
        let own = Box<EventLoop.Item?>(nil)
        let tracer = Tracer { log.add("let-go") }
        let item = kind.make {
          tracer.touch()
          own.value?.invalidate()
        }
        own.value = item
        item.invalidate()
      }
      return log.text
    }
    #expect(text == "let-go")
  }

  @Test(arguments: Kind.allCases)
  func aModeKeepsAnItemThatNobodyHolds(kind: Kind) {
    let text = onThread {
      let log = Log()
      do {
        let item = kind.make(tracing(log))
        try? EventLoop.current.add(item, to: .default)
      }
      log.add("dropped")
      return log
    }
    // The thread's end has emptied its modes.
    #expect(text.text == "dropped let-go")
  }

  @Test(arguments: Kind.allCases)
  func anotherThreadMayInvalidateAnItem(kind: Kind) {
    let log = Log()
    let worker = LoopThread()
    let item = Box<EventLoop.Item?>(nil)
    _ = try? worker.loop.performAndWait(in: .default) {
      let made = kind.make(tracing(log))
      try? EventLoop.current.add(made, to: .default)
      item.value = made
    }
    item.value?.invalidate()
    #expect(item.value?.isValid == false)
    item.value = nil
    worker.end()
    #expect(log.text == "let-go")
  }

  @Test(arguments: Kind.allCases)
  func aLoopThatSleepsIsWokenToLetTheClosureGo(kind: Kind) {
    let letGo = Event()
    let worker = LoopThread()
    defer { worker.end() }
    let item = Box<EventLoop.Item?>(nil)
    _ = try? worker.loop.performAndWait(in: .default) {
      let tracer = Tracer { letGo.happen() }
      let made = kind.make { tracer.touch() }
      try? EventLoop.current.add(made, to: .tracking)
      item.value = made
    }
    #expect(waitUntil { worker.loop.isWaiting })
    item.value?.invalidate()
    item.value = nil
    #expect(letGo.wait())
  }

  @Test(arguments: Kind.allCases)
  func aClosureMayInvalidateItsOwnItemAndGoOn(kind: Kind) {
    let text = onThread {
      let log = Log()
      let loop = EventLoop.current
      try? loop.add(EventLoop.Source {}, to: .default)
      do {
        let own = Box<EventLoop.Item?>(nil)
        let tracer = Tracer { log.add("let-go") }
        let action = {
          own.value?.invalidate()
          own.value = nil
          log.add("invalidated")
          tracer.touch()
        }
        let item = kind.makeReady(action)
        own.value = item
        try? loop.add(item, to: .default)
      }
      loop.run(mode: .default, for: .milliseconds(20))
      log.add("ran")
      return log.text
    }
    #expect(text == "invalidated let-go ran")
  }

  /// The closure's memory must not go while the loop's thread is in it, or about to enter it.
  @Test(arguments: Kind.allCases)
  func invalidatingFromAnotherThreadDuringCallsIsSafe(kind: Kind) {
    let rounds = 500
    let letGo = Box(0)
    let worker = LoopThread()
    for _ in 0..<rounds {
      let made = Box<EventLoop.Item?>(nil)
      let isCalled = Event()
      try? worker.loop.perform(in: .default) {
        let tracer = Tracer { letGo.change { $0 += 1 } }
        let item = kind.makeReady {
          isCalled.happen()
          tracer.touch()
        }
        made.value = item
        try? EventLoop.current.add(item, to: .default)
      }
      guard isCalled.wait() else {
        Issue.record("never called")
        break
      }
      made.value?.invalidate()
    }
    worker.end()
    #expect(letGo.value == rounds)
  }

  /// While a thread takes its loop down the loop accepts nothing, and is not dead yet.
  @Test(arguments: Kind.allCases)
  func anItemThatIsInvalidatedAsItsThreadEndsLetsItsClosureGo(kind: Kind) {
    let log = Log()
    let item = Box<EventLoop.Item?>(nil)
    let ending = EndingThread { item.value = kind.make(tracing(log)) }
    #expect(item.value?.loop.isAlive == true)
    item.value?.invalidate()
    item.value = nil
    ending.goOn()
    #expect(log.text == "let-go")
  }

  /// When the loop's thread has ended nobody is left to do it but who invalidates.
  @Test(arguments: Kind.allCases)
  func severalThreadsMayInvalidateAnItemOfADeadLoop(kind: Kind) {
    let rounds = 1000
    let letGo = Box(0)
    let items: [EventLoop.Item] = onThread {
      (0..<rounds).map { _ in kind.make(counting(letGo)) }
    }
    let here = Atomic<Int>(0)
    let invalidateAll: @Sendable () -> Void = {
      for (index, item) in items.enumerated() {
        here.wrappingAdd(1, ordering: .relaxed)
        // Both at once, as nearly as that can be had.
        while here.load(ordering: .relaxed) < 2 * (index + 1) {}
        item.invalidate()
      }
    }
    let other = Thread(invalidateAll)
    invalidateAll()
    other.join()
    #expect(letGo.value == rounds)
  }
}

/// A file that is always readable, open as long as the process.
private let alwaysReady = open(#filePath, O_RDONLY | O_CLOEXEC)

private func tracing(_ log: Log) -> () -> Void {
  let tracer = Tracer { log.add("let-go") }
  return { tracer.touch() }
}

private func counting(_ letGo: Box<Int>) -> () -> Void {
  let tracer = Tracer { letGo.change { $0 += 1 } }
  return { tracer.touch() }
}
