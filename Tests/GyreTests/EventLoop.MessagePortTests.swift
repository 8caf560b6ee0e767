import Glibc
import Gyre
import Testing

@Suite struct EventLoopMessagePortTests {
  typealias Port = EventLoop.MessagePort

  @Test func aRequestIsRepliedToOnTheSameThread() {
    let text = onThread {
      let name = portName("same thread")
      let log = Log()
      guard
        let local = try? Port.Local(
          name: name,
          receive: { id, bytes in
            log.add("\(id):\(bytes ?? [])")
            return bytes?.reversed()
          })
      else { return "refused" }
      try? EventLoop.current.add(local, to: "gyre.reply")
      let remote = try? Port.Remote(name: name)
      log.add("\((try? remote?.request(id: -3, bytes: [1, 2, 3])) ?? [])")
      local.invalidate()
      log.add("\(remote?.isValid ?? true)")
      return log.text
    }
    #expect(text == "-3:[1, 2, 3] [3, 2, 1] false")
  }

  @Test func anotherThreadRepliesAndNoneIsToldFromEmpty() throws {
    let name = portName("thread")
    let worker = try EventLoopThread(name: "ports")
    try worker.performAndWaitForPort(name) { id, bytes in id == 0 ? nil : bytes }
    let remote = try Port.Remote(name: name)
    #expect(try remote.request(id: 0, bytes: [1]) == nil)
    #expect(try remote.request(id: 1, bytes: []) == [])
    #expect(try remote.request(id: 1) == nil)
    let large = [UInt8](repeating: 7, count: 1_000_000)
    #expect(try remote.request(id: 1, bytes: large) == large)
    try remote.send(id: 1, bytes: [1])
    worker.finish()
    try worker.join()
  }

  @Test func everyFailureHasACase() throws {
    let name = portName("failures")
    let text = onThread {
      let log = Log()
      func attempt(_ body: () throws(Port.Failure) -> Void) {
        do throws(Port.Failure) { try body() } catch { log.add("\(error)") }
      }
      guard let local = try? Port.Local(name: name, receive: { _, _ in nil }),
        let remote = try? Port.Remote(name: name)
      else { return "refused" }
      let slow = Duration.milliseconds(5)
      attempt { () throws(Port.Failure) in _ = try remote.request(id: 0, replyTimeout: slow) }
      attempt { () throws(Port.Failure) in
        for _ in 0..<2000 { try remote.send(id: 0, timeout: .zero) }
      }
      attempt { () throws(Port.Failure) in
        do throws(Port.Failure) {
          try remote.send(id: 0, bytes: Array(repeating: 0, count: 16_777_217))
        } catch {
          guard case .refused(let reason) = error else { throw error }
          log.add("refused \(reason.errno == EMSGSIZE)")
        }
      }
      local.invalidate()
      attempt { () throws(Port.Failure) in try remote.send(id: 0) }
      return log.text
    }
    #expect(text == "replyTimedOut sendTimedOut refused true ended")
  }

  @Test func aNameIsTakenOnce() {
    let errors = onThread {
      let name = portName("taken")
      let local = try? Port.Local(name: name, receive: { _, _ in nil })
      var codes: [Int32] = []
      do throws(GyreError) { _ = try Port.Local(name: name, receive: { _, _ in nil }) } catch {
        codes.append(error.errno)
      }
      do throws(GyreError) { try local?.allow(user: nil) } catch { codes.append(-1) }
      local?.invalidate()
      do throws(GyreError) { _ = try Port.Remote(name: name) } catch { codes.append(error.errno) }
      do throws(GyreError) { try local?.allow(user: 0) } catch { codes.append(error.errno) }
      return codes
    }
    #expect(errors == [EADDRINUSE, ENOENT, EINVAL])
  }

  @Test func theClosureIsLetGoWithThePort() {
    let isLetGo = onThread {
      weak var token: Box<Int>?
      do {
        let captured = Box(1)
        token = captured
        let local = try? Port.Local(name: portName("let go")) { _, _ in [UInt8(captured.value)] }
        local?.invalidate()
      }
      return token == nil
    }
    #expect(isLetGo)
  }
}

private func portName(_ word: String) -> String { "swift tests, \(word), \(getpid())" }

extension EventLoopThread {
  /// Makes a port on the thread, in its default mode, which keeps it.
  fileprivate func performAndWaitForPort(
    _ name: String, receive: @escaping @Sendable (Int32, [UInt8]?) -> [UInt8]?
  ) throws {
    try loop.performAndWait(in: .default) {
      guard let port = try? EventLoop.MessagePort.Local(name: name, receive: receive) else {
        return
      }
      try? EventLoop.current.add(port, to: .default)
    }
  }
}
