import CGyre
import Gyre
import Testing

@Suite struct EventLoopTests {
  @Test func aThreadHasOneLoopForItsWholeLife() {
    let isSame = onThread {
      let first = EventLoop.current
      first.run(mode: .default, for: .zero)
      return first === EventLoop.current && first.isCurrent && first.isAlive
    }
    #expect(isSame)
  }

  @Test func twoThreadsHaveTwoLoops() {
    let one = onThread { EventLoop.current }
    let other = onThread { EventLoop.current }
    #expect(one !== other)
  }

  @Test func theMainLoopIsTheSameFromAnyThread() {
    let loops = (onThread { EventLoop.main }, onThread { EventLoop.main })
    #expect(loops.0 === loops.1)
    #expect(loops.0 === EventLoop.main)
    #expect(onThread { !EventLoop.main.isCurrent && EventLoop.main !== EventLoop.current })
  }

  @Test func whatCAddsIsServedByASwiftRun() {
    let calls = onThread {
      nonisolated(unsafe) var calls = 0
      withUnsafeMutablePointer(to: &calls) { calls in
        var context = GYRunLoopTimerContext()
        context.info = UnsafeMutableRawPointer(calls)
        let timer = GYRunLoopTimerCreateAt(
          0, 0, 0, { _, info in info?.assumingMemoryBound(to: Int.self).pointee += 1 }, &context)
        GYRunLoopAddTimer(GYRunLoopGetCurrent(), timer, kGYRunLoopDefaultMode)
        EventLoop.current.run()
        GYRelease(timer.map { UnsafeRawPointer($0) })
      }
      return calls
    }
    #expect(calls == 1)
  }

  @Test func whatSwiftAddsIsServedByARunOfC() throws {
    let log = Log()
    onThread {
      try? EventLoop.current.add(EventLoop.Timer(after: .zero) { log.add("fired") }, to: .default)
      GYRunLoopRun()
    }
    #expect(log.text == "fired")
  }

  @Test func aLoopOutlivesItsThreadAndDoesNothingThen() {
    let (loop, timer) = onThread {
      (EventLoop.current, EventLoop.Timer(after: .zero) {})
    }
    #expect(!loop.isAlive && !loop.isCurrent && !loop.isWaiting)
    #expect(loop.currentMode == nil)
    loop.wakeUp()
    loop.stop()
    loop.remove(timer, from: .default)
    #expect(!loop.contains(timer, in: .default))
    #expect(throws: GyreError.loopEnded) { try loop.add(timer, to: .default) }
    #expect(throws: GyreError.loopEnded) { try loop.addCommonMode("some mode") }
    timer.invalidate()
    #expect(!timer.isValid)
  }

  @Test func askingWhetherThereIsALoopMakesNone() {
    let answers = Box<[Bool]>([])
    onThread {
      answers.value.append(EventLoop.currentIfMade == nil)
      answers.value.append(EventLoop.currentIfMade == nil)
      let loop = EventLoop.current
      answers.value.append(EventLoop.currentIfMade === loop)
    }
    #expect(answers.value == [true, true, true])
  }

  @Test func theObjectGoesWithTheThread() {
    let observed = WeakLoop()
    onThread { observed.loop = EventLoop.current }
    #expect(observed.loop == nil)
  }

  @Test func whatIsCalledAtTheEndOfAThreadFindsItsLoop() {
    let isSame = Box(false)
    onThread {
      let loop = EventLoop.current
      let source = EventLoop.Source(
        cancel: { [unowned loop] cancelled, _ in
          isSame.value = cancelled === loop && EventLoop.current === loop
        },
        perform: {})
      try? loop.add(source, to: .default)
    }
    #expect(isSame.value)
  }

  /// The thread sanitizer has said good-bye to a thread by the last round of its destructors.
  @Test(.enabled(if: Sanitizer.current != .thread))
  func aThreadPastItsLoopGetsOneThatIsNotAlive() {
    let answer = Box("not asked")
    onThread {
      _ = EventLoop.current
      afterTheLoop { answer.value = EventLoop.current.isAlive ? "alive" : "not alive" }
    }
    #expect(answer.value == "not alive")
  }

  /// Under the thread sanitizer the runtime takes a lock for each access to a global, which another
  /// thread may hold when this one forks.
  @Test(.enabled(if: Sanitizer.current != .thread))
  func theForkingThreadsLoopIsTheMainLoopOfTheChild() {
    let ending = onThread {
      let own = EventLoop.current
      _ = EventLoop.main
      return endingOfFork { EventLoop.main === own && EventLoop.current === own ? 0 : 1 }
    }
    #expect(ending == "exit 0")
  }
}

/// Unchecked: written by a thread that has ended when it is read.
private final class WeakLoop: @unchecked Sendable {
  weak var loop: EventLoop?
}
