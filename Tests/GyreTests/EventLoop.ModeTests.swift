import CGyre
import Gyre
import Testing

@Suite struct EventLoopModeTests {
  @Test func modesWithTheSameCharactersAreTheSame() {
    let built = EventLoop.Mode(["com", "example", "mode"].joined(separator: "."))
    let literal: EventLoop.Mode = "com.example.mode"
    #expect(built == literal)
    #expect(Set([built, literal, .default]).count == 2)
    #expect(EventLoop.Mode.default != .tracking)
  }

  @Test func aModeTellsItsName() {
    let mode: EventLoop.Mode = "Müßiggang"
    #expect(mode.name == "Müßiggang")
    #expect("\(mode)" == "Müßiggang")
    #expect(EventLoop.Mode("").name == "")
  }

  @Test func theDefaultModeHasTheNameThatProgramsKnow() {
    #expect(EventLoop.Mode.default == "kCFRunLoopDefaultMode")
  }

  @Test func theModesWithNamesOfTheirOwnAreFourDifferentOnes() {
    let modes: Set<EventLoop.Mode> = [.default, .tracking, .modalPanel, .initialization]
    #expect(modes.count == 4)
    let names = ["GyreTrackingMode", "GyreModalPanelMode", "GyreInitializationMode"]
    #expect(modes.isSuperset(of: names.map { EventLoop.Mode($0) }))
  }

  @Test func aNameEndsAtItsFirstNUL() {
    #expect(EventLoop.Mode("a\0b") == "a")
  }

  @Test func aModeIsTheOneThatCKnowsByTheSameName() {
    let isServed = onThread {
      let name = GYRunLoopModeNamed("shared with C")
      defer { GYRelease(name.map { UnsafeRawPointer($0) }) }
      let timer = GYRunLoopTimerCreateAt(0, 0, 0, nil, nil)
      defer { GYRelease(timer.map { UnsafeRawPointer($0) }) }
      GYRunLoopAddTimer(GYRunLoopGetCurrent(), timer, name)
      EventLoop.current.run(mode: "shared with C")
      return GYRunLoopTimerIsValid(timer) == 0
    }
    #expect(isServed)
  }

  @Test func theCommonModesAreWhatAnItemIsAddedToAndNoMode() {
    // That `run(mode: .common)` does not compile is the point: the type is another one.
    let common: EventLoop.Modes = EventLoop.Mode.common
    let isThere = onThread {
      let timer = EventLoop.Timer(after: .seconds(1000)) {}
      try? EventLoop.current.add(timer, to: .common)
      return EventLoop.current.contains(timer, in: common)
        && EventLoop.current.contains(timer, in: .default)
    }
    #expect(isThere)
  }

  @Test func theNameOfTheCommonModesCannotBeRun() {
    let result = onThread {
      try? EventLoop.current.add(EventLoop.Source {}, to: .common)
      return EventLoop.current.run(mode: "kCFRunLoopCommonModes", for: .seconds(100))
    }
    #expect(result == .finished)
  }
}

@Suite struct EventLoopModesTests {
  @Test func anItemIsAddedToEachOfSeveralModes() {
    let answers = onThread {
      let loop = EventLoop.current
      let timer = EventLoop.Timer(after: .seconds(1000)) {}
      let modes: EventLoop.Modes = ["one", "two"]
      try? loop.add(timer, to: modes)
      let before = [
        loop.contains(timer, in: "one"), loop.contains(timer, in: "two"),
        loop.contains(timer, in: modes), loop.contains(timer, in: ["two", "three"]),
      ]
      loop.remove(timer, from: modes)
      return before + [loop.contains(timer, in: "one"), loop.contains(timer, in: "two")]
    }
    #expect(answers == [true, true, true, false, false, false])
  }

  @Test func modesAreMadeFromAnySequence() {
    let names = ["one", "two"]
    let modes = EventLoop.Modes(names.lazy.map { EventLoop.Mode($0) })
    let isThere = onThread {
      let timer = EventLoop.Timer(after: .seconds(1000)) {}
      try? EventLoop.current.add(timer, to: modes)
      return EventLoop.current.contains(timer, in: "one")
        && EventLoop.current.contains(timer, in: "two")
    }
    #expect(isThere)
  }

  @Test func aModeThatBecomesCommonGetsTheCommonItems() {
    let answers = onThread {
      let loop = EventLoop.current
      let timer = EventLoop.Timer(after: .seconds(1000)) {}
      try? loop.add(timer, to: .common)
      let before = loop.contains(timer, in: .tracking)
      try? loop.addCommonMode(.tracking)
      return [before, loop.contains(timer, in: .tracking)]
    }
    #expect(answers == [false, true])
  }
}
