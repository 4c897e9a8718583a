// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
]

// A package of its own: the project's package has a target that is also named FoundationNetworking, and in a graph with that
// package an import could pick it instead of the toolchain's module. The sources are links to those of the parent package.
let package = Package(
  name: "foundation-networking-peer",
  targets: [
    .target(name: "Measuring", swiftSettings: strict),
    .executableTarget(
      name: "URLSessionClient", dependencies: ["Measuring"],
      swiftSettings: strict + [.define("FOUNDATION_NETWORKING_PEER")]),
  ]
)
