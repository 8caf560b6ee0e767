/// What the command line asks for.
struct Options {
  var file: String?
  var isVerbose = false
  var tick = Duration.seconds(1)
  var wantsHelp = false

  /// What is wrong with a command line.
  struct Misuse: Error {
    let message: String
  }

  init(_ arguments: some Sequence<String>) throws(Misuse) {
    var rest = Array(arguments)[...]
    var files: [String] = []
    while let argument = rest.popFirst() {
      switch argument {
      case "-h", "--help": wantsHelp = true
      case "-v", "--verbose": isVerbose = true
      case "-t", "--tick": tick = try Self.tick(rest.popFirst())
      case "--":
        files += rest
        rest = []
      case "-": files.append(argument)
      default:
        if argument.hasPrefix("-") { throw Misuse(message: "there is no option \(argument)") }
        files.append(argument)
      }
    }
    if files.count > 1 { throw Misuse(message: "one file at a time is all that can be read") }
    file = files.first == "-" ? nil : files.first
  }

  private static func tick(_ text: String?) throws(Misuse) -> Duration {
    guard let text, let milliseconds = Int(text), milliseconds > 0 else {
      throw Misuse(message: "--tick takes a number of milliseconds")
    }
    return .milliseconds(milliseconds)
  }

  static let usage = """
    usage: tour [-v] [-t MILLISECONDS] [FILE]

    Reads lines from FILE or from standard input and shows what a run loop does meanwhile. A thread
    with a loop of its own counts the words. Three timers tick: one in the default mode, which also
    tells how many lines came, one in the tracking mode, and one in the common modes.

    Two lines are commands:
      track      run the loop in the tracking mode: the timer of the default mode pauses
      default    run it in the default mode again

    options:
      -v, --verbose      print every activity of the loop
      -t, --tick NUMBER  milliseconds from one tick to the next (1000)
      -h, --help         print this

    It ends at the end of the input, or on control-C, with the totals and exit status 0. The status
    is 1 where a file cannot be read or the output cannot be written, 64 where the command line is
    wrong.
    """
}
