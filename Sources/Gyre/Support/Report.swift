// Reports of calls that broke the contract: the defined harmless result, and one line.

internal import CGyre
import Synchronization

/// Reports one line that names the call and the rule, to where the C library's reports go.
func report(_ call: String, _ what: String, rule: String) {
  GYReport(call, what, rule)
}

/// A report that is made once in a process.
struct ReportOnce: ~Copyable {
  private let isMade = Atomic<Bool>(false)

  init() {}

  func make(_ call: String, _ what: String, rule: String) {
    // Relaxed: only the flag itself is agreed upon.
    if isMade.exchange(true, ordering: .relaxed) { return }
    report(call, what, rule: rule)
  }
}
