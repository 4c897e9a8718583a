// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "benchmarks",
  dependencies: [
    .package(name: "swift-url-loading-system", path: "..", traits: ["HTTP3", "Inspector"]),
    .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
  ],
  targets: [
    .target(name: "Measuring", swiftSettings: strict),
    .executableTarget(
      name: "AsyncHTTPClientPeer",
      dependencies: [
        "Measuring",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ], swiftSettings: strict),
    .executableTarget(
      name: "MassLoads",
      dependencies: [
        .product(name: "URLLoadingSystem", package: "swift-url-loading-system"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ], swiftSettings: strict),
    .executableTarget(
      name: "SpeedChart", dependencies: [.product(name: "HeadlessUIKit", package: "swift-url-loading-system")], swiftSettings: strict),
    .executableTarget(
      name: "URLSessionClient",
      dependencies: [
        "Measuring", .product(name: "URLLoadingSystem", package: "swift-url-loading-system"),
        .product(name: "URLLoadingInspector", package: "swift-url-loading-system"),
      ],
      swiftSettings: strict),
  ]
)
