// Reports of calls that broke the contract: the defined harmless result, and one line.

import Synchronization

/// Writes one line that names the call and the rule, in the form of the C library's reports.
func report(_ call: String, _ what: String, rule: String) {
  System.writeToStandardError("gyre: \(call): \(what) (\(rule))\n")
  if System.isStrict { System.endProcess() }
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
