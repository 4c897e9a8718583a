// swift-tools-version: 6.2
import PackageDescription

// A package that builds on Linux and on Apple's platforms: there Foundation has URLSession, and nothing of the dependency is compiled.
let package = Package(
  name: "Hello",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "swift-url-loading-system", path: "../..")],
  targets: [
    .executableTarget(
      name: "Hello",
      dependencies: [
        .product(name: "URLLoadingSystem", package: "swift-url-loading-system", condition: .when(platforms: [.linux]))
      ])
  ]
)
