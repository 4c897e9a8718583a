// swift-tools-version: 6.2
import PackageDescription

// The targets of Tests/FuzzTests for libFuzzer. `make fuzz` builds it with the instrumentation.
let package = Package(
  name: "Fuzz",
  dependencies: [
    .package(name: "swift-url-loading-system", path: "..", traits: ["HTTP3", "Inspector"]),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
  ],
  targets: [
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        .product(name: "URLLoadingSystem", package: "swift-url-loading-system"),
        .product(name: "URLLoadingInspector", package: "swift-url-loading-system"),
        .product(name: "URLLoadingTestKit", package: "swift-url-loading-system"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "NIOHPACK", package: "swift-nio-http2"),
      ],
      swiftSettings: [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"), .define("HTTP3"), .define("Inspector"),
      ])
  ]
)
