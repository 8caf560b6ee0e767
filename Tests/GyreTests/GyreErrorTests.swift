import Glibc
import Gyre
import Testing

@Suite struct GyreErrorTests {
  @Test func anErrorKeepsTheNumberOfTheSystem() {
    #expect(GyreError.loopEnded.errno == ESRCH)
    #expect(GyreError.madeForAnotherLoop.errno == EPERM)
    #expect(GyreError.invalid.errno == EINVAL)
    #expect(GyreError.noMemory.errno == ENOMEM)
    #expect(GyreError.wouldDeadlock.errno == EDEADLK)
    #expect(Set([GyreError.loopEnded, .noMemory, .loopEnded]).count == 2)
  }

  @Test func anErrorTellsWhatHappenedInWords() {
    #expect("\(GyreError.loopEnded)" == "the loop has ended with its thread")
    #expect("\(GyreError.noMemory)" == String(cString: strerror(ENOMEM)))
  }

  @Test func itIsCaughtWithItsType() {
    let loop = onThread { EventLoop.current }
    do {
      try loop.perform(in: .default) {}
      Issue.record("an ended loop took a closure")
    } catch {
      // The type of `error` is known without a cast.
      #expect(error.errno == ESRCH)
    }
  }
}
