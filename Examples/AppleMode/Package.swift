// swift-tools-version: 5.9
import PackageDescription

// A package as it is written for Apple's platforms alone: no source knows Linux or swift-url-loading-system. scripts/tests/test-apple-mode gives
// a copy of it to scripts/apple-mode, builds that and runs it.
let package = Package(
  name: "Feed",
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: [.library(name: "Feed", targets: ["Feed"])],
  targets: [
    .target(name: "Feed"),
    .executableTarget(name: "FeedDemo", dependencies: ["Feed"]),
    .executableTarget(name: "ObservationDemo"),
    .executableTarget(name: "CombineDemo"),
    .target(name: "Badges"),
    .testTarget(name: "FeedTests", dependencies: ["Feed"]),
    .testTarget(name: "BadgesTests", dependencies: ["Badges"]),
  ]
)
