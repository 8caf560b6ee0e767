import Gyre

extension Scene {
  static let waitingForWork = Scene(title: "Work on a thread, waited for") {
    let worker = try EventLoopThread(name: "worker")
    let loop = worker.loop
    let sum = Box(0)
    let callers = (1...4).map { _ in
      SystemThread {
        for _ in 1...100 { try? loop.performAndWait(in: .default) { sum.change { $0 += 1 } } }
      }
    }
    for caller in callers { caller.join() }
    print("four threads, a hundred times each: \(sum.value)")
    let answer = try loop.performAndWait(in: .default) {
      try? loop.performAndWait(in: .default) { "called at once" }
    }
    print("onto one's own thread: \(answer ?? "no answer")")
    worker.stop()
    try worker.join()
    do throws(GyreError) {
      try loop.performAndWait(in: .default) { print("never called") }
    } catch {
      print("onto a thread that has ended: \(error)")
    }
  }
}
