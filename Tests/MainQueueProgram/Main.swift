/// Plays on its main thread the scene that its argument names, for the tests of the main queue:
/// what it prints tells on which thread things happen, and in which order.
import Dispatch
import Glibc
import Gyre

@main
enum Main {
  static func main() throws {
    mainThread = pthread_self()
    let name = CommandLine.arguments.dropFirst().first ?? ""
    guard let scene = Scene(rawValue: name) else { exit(64) }
    try scene.play()
  }
}

/// Set once, before there is another thread.
nonisolated(unsafe) private var mainThread = pthread_self()

var isOnMainThread: Bool { pthread_equal(pthread_self(), mainThread) != 0 }

/// Prints a word, and the kind of thread that it is said on.
func say(_ word: String) {
  print("\(word) \(isOnMainThread ? "main" : "other")")
  fflush(nil)
}
