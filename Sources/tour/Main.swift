@main
enum Main {
  private static let misuse: Int32 = 64

  static func main() {
    let options: Options
    do {
      options = try Options(CommandLine.arguments.dropFirst())
    } catch {
      Terminal.complain("\(error.message)\n\(Options.usage)")
      Terminal.end(misuse)
    }
    do {
      Terminal.end(try run(options))
    } catch let error as SystemError {
      Terminal.complain(error.message)
    } catch {
      Terminal.complain("\(error)")
    }
    Terminal.end(1)
  }

  @MainActor
  private static func run(_ options: Options) throws -> Int32 {
    try Terminal.prepare(needsInput: options.file == nil && !options.wantsHelp)
    if options.wantsHelp {
      try Terminal.print(Options.usage)
      return 0
    }
    let descriptor = try options.file.map(Terminal.openFile) ?? Terminal.standardInput
    let name = options.file ?? "standard input"
    let tour = try Tour(options, descriptor: descriptor, name: name)
    return tour.run(greeting: Terminal.isTerminal(descriptor) ? greeting : nil)
  }

  private static let greeting = """
    Type lines. "track" and "default" switch the mode of the loop; control-D or control-C ends it.
    """
}
