import Gyre

/// What has been counted so far.
struct Totals {
  var lines = 0
  var words = 0
  var ticks: [EventLoop.Mode: Int] = [:]
  var commonTicks = 0

  var text: String {
    """
    totals: \(lines) lines, \(words) words; ticks: default \(ticks[.default, default: 0]), \
    tracking \(ticks[.tracking, default: 0]), common \(commonTicks)
    """
  }
}
