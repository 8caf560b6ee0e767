import CGyre
import Glibc
import Gyre
import Testing

@Suite struct DrainPoolTests {
  // MARK: A pool of one's own

  /// R200.
  @Test func whatIsDeferredIsCalledNewestFirstWhenThePoolEnds() {
    let text = onThread {
      let log = Log()
      let value = drainPool {
        put(off: "a", log)
        put(off: "b", log)
        log.add("body")
        return "value"
      }
      return log.text + " \(value)"
    }
    #expect(text == "body b a value")
  }

  /// R200.
  @Test func poolsNest() {
    let text = onThread {
      let log = Log()
      drainPool {
        put(off: "outer", log)
        drainPool { put(off: "inner", log) }
        log.add("between")
      }
      return log.text
    }
    #expect(text == "inner between outer")
  }

  /// R200.
  @Test func whatIsDeferredWhileThePoolDrainsGoesIntoIt() {
    let text = onThread {
      let log = Log()
      drainPool {
        put(off: "oldest", log)
        try? DrainPool.defer {
          log.add("first")
          put(off: "second", log)
        }
      }
      return log.text
    }
    #expect(text == "first second oldest")
  }

  @Test func aBodyThatThrowsDrainsItsPool() {
    struct Refused: Error { let number: Int }
    let (text, number) = onThread {
      let log = Log()
      do throws(Refused) {
        try drainPool { () throws(Refused) in
          put(off: "deferred", log)
          throw Refused(number: 7)
        }
        return (log.text, 0)
      } catch {
        return (log.text, error.number)
      }
    }
    #expect(text == "deferred")
    #expect(number == 7)
  }

  @Test func aResultNeedNotBeCopyable() {
    struct Ticket: ~Copyable { let number: Int }
    let number = onThread {
      let ticket = drainPool { Ticket(number: 3) }
      return ticket.number
    }
    #expect(number == 3)
  }

  @Test func anAsyncFunctionMayUseOne() async {
    let log = Log()
    drainPool {
      put(off: "deferred", log)
      log.add("body")
    }
    await Task.yield()
    #expect(log.text == "body deferred")
  }

  /// The closure of an actor that is left after the pool has ended is protected by it.
  @Test func whatAnActorDefersInAPoolOfItsOwnMayUseItsState() async {
    actor Counter {
      var count = 0
      func add() -> Int {
        drainPool { try? DrainPool.defer { self.count += 1 } }
        return count
      }
    }
    #expect(await Counter().add() == 1)
  }

  @Test func cCodeSharesThePools() {
    let text = onThread {
      let log = Log()
      let pool = GYDrainPoolPush()
      put(off: "Swift's", log)
      drainPool {
        let info = Unmanaged.passRetained(log).toOpaque()
        _ = GYDefer(
          { info in
            if let info { Unmanaged<Log>.fromOpaque(info).takeRetainedValue().add("C's") }
          }, info)
      }
      GYDrainPoolPop(pool)
      return log.text
    }
    #expect(text == "C's Swift's")
  }

  // MARK: Deferring

  @Test func aDeferredClosureNeedNotBeSendable() {
    let text = onThread {
      final class Words { var list: [String] = [] }
      let words = Words()
      drainPool {
        try? DrainPool.defer { words.list.append("deferred") }
        words.list.append("body")
      }
      return words.list.joined(separator: " ")
    }
    #expect(text == "body deferred")
  }

  @Test func aDeferredClosureIsLetGoOnceItHasBeenCalled() {
    let text = onThread {
      let log = Log()
      drainPool {
        put(off: "oldest", log)
        let tracer = Tracer { log.add("let-go") }
        try? DrainPool.defer {
          log.add("called")
          tracer.touch()
        }
      }
      return log.text
    }
    #expect(text == "called let-go oldest")
  }

  /// R205.
  @Test func withoutAPoolAClosureIsRefusedAndLetGoUncalled() {
    let (text, error) = onThread {
      let log = Log()
      let error = errorOf { () throws(GyreError) in
        let tracer = Tracer { log.add("let-go") }
        try DrainPool.defer {
          tracer.touch()
          log.add("called")
        }
      }
      return (log.text, error)
    }
    #expect(text == "let-go")
    #expect(error == .invalid)
  }

  // MARK: Objects

  @Test func anObjectLivesUntilThePoolDrains() {
    let text = onThread {
      let log = Log()
      drainPool {
        put(off: "oldest", log)
        DrainPool.extendLifetime(of: Tracer { log.add("object") })
        log.add("body")
      }
      return log.text
    }
    #expect(text == "body object oldest")
  }

  @Test func anObjectMayBeKeptMoreThanOnce() {
    let text = onThread {
      let log = Log()
      drainPool {
        let object = Tracer { log.add("object") }
        DrainPool.extendLifetime(of: object)
        drainPool { DrainPool.extendLifetime(of: object) }
        log.add("inner")
      }
      return log.text
    }
    #expect(text == "inner object")
  }

  /// R205: what is borrowed from it may still be in use.
  @Test func withoutAPoolAnObjectIsKeptForGood() {
    let object = WeakBox()
    onThread {
      let kept = Tracer {}
      object.value = kept
      DrainPool.extendLifetime(of: kept)
    }
    #expect(object.value != nil)
    // It is the reference that was kept, which the test gives back.
    if let kept = object.value { Unmanaged.passUnretained(kept).release() }
  }

  // MARK: The end of a thread

  /// A callback of the loop's end has a pool, which ends with the thread.
  @Test func whatIsDeferredWhileALoopEndsIsCalled() {
    let log = Log()
    onThread {
      let source = EventLoop.Source(cancel: { _, _ in
        put(off: "deferred", log)
        log.add("cancel")
      }) {}
      try? EventLoop.current.add(source, to: .default)
    }
    #expect(log.text == "cancel deferred")
  }

  /// It has its thread's loop until then.
  @Test func whatAThreadHoldsAtItsEndIsCalledThen() {
    let log = Log()
    onThread {
      let loop = EventLoop.current
      _ = GYDrainPoolPush()
      try? DrainPool.defer { log.add(EventLoop.current === loop && loop.isAlive ? "here" : "gone") }
      DrainPool.extendLifetime(of: Tracer { log.add("object") })
      log.add("body")
    }
    #expect(log.text == "body object here")
  }

  /// A thread that never asks for a loop has pools all the same.
  @Test func aThreadNeedsNoLoop() {
    let log = Log()
    onThread {
      _ = GYDrainPoolPush()
      put(off: "deferred", log)
    }
    #expect(log.text == "deferred")
  }
}

/// Where an object is looked at that the test does not keep.
///
/// Unchecked: it is used by one thread after the other.
private final class WeakBox: @unchecked Sendable {
  weak var value: Tracer?
}

/// Defers the writing down of a word.
func put(off word: String, _ log: Log) {
  do throws(GyreError) { try DrainPool.defer { log.add(word) } } catch { log.add("\(error)") }
}
