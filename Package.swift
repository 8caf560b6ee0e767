// swift-tools-version: 6.1
import PackageDescription

let checked: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "gyre",
  products: [
    .library(name: "Gyre", targets: ["Gyre"]),
    .library(name: "CGyre", targets: ["CGyre"]),
    .executable(name: "tour", targets: ["tour"]),
  ],
  targets: [
    // The root as the target's folder: the public headers stand at the top, beside the sources. A
    // scratch folder inside the package has to lie below `.build` for that.
    .target(
      name: "CGyre",
      path: ".",
      sources: ["Sources/CGyre"],
      publicHeadersPath: "include",
      cSettings: [.headerSearchPath("Sources/CGyre")]
    ),
    .target(name: "Gyre", dependencies: ["CGyre"], swiftSettings: checked),
    .executableTarget(name: "tour", dependencies: ["Gyre"], swiftSettings: checked),
    .executableTarget(name: "scenes", dependencies: ["Gyre"], swiftSettings: checked),
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .executableTarget(
      name: "mainqueue", dependencies: ["Gyre"], path: "Tests/MainQueueProgram",
      swiftSettings: checked),
    .testTarget(
      name: "GyreTests",
      dependencies: ["Gyre", "CGyre", "tour", "scenes", "mainqueue", "TestSupport"],
      swiftSettings: checked),
  ],
  cLanguageStandard: .gnu11
)
