/// A short play of loops that prints what happens, always the same.
struct Scene: Sendable {
  let title: String
  let play: @MainActor @Sendable () throws -> Void
}

extension Scene {
  static let all = [
    loopsOfThreads, timersAndModes, delayedWork, switchingModes, keepingAlive, waitingForWork,
    activities, pools, owners,
  ]
}
