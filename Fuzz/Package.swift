// swift-tools-version: 6.2
import PackageDescription

// The targets of Tests/FuzzTests for libFuzzer. `make fuzz` builds it with the instrumentation.
let package = Package(
  name: "Fuzz",
  dependencies: [
    .package(name: "swift-url-loading-system", path: ".."),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
  ],
  targets: [
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        .product(name: "URLLoadingSystem", package: "swift-url-loading-system"), .product(name: "NIOCore", package: "swift-nio"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")])
  ]
)
