import Gyre

extension Scene {
  static let loopsOfThreads = Scene(title: "A thread and its loop") {
    let isMainThere = EventLoop.main.isAlive
    weak var ended: EventLoop?
    let seen = Box<EventLoop?>(nil)
    let thread = SystemThread {
      print("before it is asked for: \(EventLoop.currentIfMade == nil ? "no loop" : "a loop")")
      let loop = EventLoop.current
      print("asked for again: \(EventLoop.current === loop ? "the same" : "another")")
      print("the main loop from here: \(EventLoop.main === loop ? "this one" : "another")")
      seen.value = loop
    }
    thread.join()
    ended = seen.value
    print("after the thread: \(ended?.isAlive == true ? "alive" : "not alive")")
    seen.value = nil
    print("when nobody holds it: \(ended == nil ? "gone" : "still there")")
    let isCurrent = EventLoop.main === EventLoop.current
    print("the main loop: \(isMainThere && isCurrent ? "there, and the main thread's" : "missing")")
  }
}
