import Gyre
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Control-C as an event of a loop.
enum Interrupt {
  /// Kept for ever: the handler may run at any moment.
  private static let source = Atomic<Unmanaged<EventLoop.Source>?>(nil)

  /// Signals a source for the first interrupt. The next one ends the process, as if this had never
  /// been.
  static func deliver(to source: EventLoop.Source) {
    Self.source.store(.passRetained(source), ordering: .releasing)
    var action = sigaction()
    // The two calls are among the few that a handler may make.
    action.__sigaction_handler.sa_handler = { _ in
      guard let source = Interrupt.source.load(ordering: .acquiring) else { return }
      source._withUnsafeGuaranteedRef {
        $0.signal()
        $0.loop.wakeUp()
      }
    }
    action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | SA_RESTART
    sigaction(SIGINT, &action, nil)
  }
}
