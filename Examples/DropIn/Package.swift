// swift-tools-version: 6.2
import PackageDescription

// An ordinary package for Linux whose sources import FoundationNetworking. The dependency on swift-url-loading-system is all that
// was added; OpenCombine represents a package elsewhere in the graph that imports FoundationNetworking and knows nothing of ours.
let networking: Target.Dependency = .product(name: "FoundationNetworking", package: "swift-url-loading-system")

/// The same ordinary expressions beside each product; scripts/tests/test-names has them beside the test kit. The sources are links to those of the
/// first.
func expressions(_ product: String, folder: String) -> Target {
  .target(
    name: folder, dependencies: [.product(name: product, package: "swift-url-loading-system")],
    swiftSettings: [.define("PRODUCT_" + product.uppercased())])
}

/// The bare names of well-known packages beside each product; scripts/tests/test-names has them beside the test kit. The sources are links to those
/// of the first.
func names(_ product: String, folder: String) -> Target {
  .target(
    name: folder, dependencies: ["WellKnownNames", .product(name: product, package: "swift-url-loading-system")],
    swiftSettings: [.define("PRODUCT_" + product.uppercased())])
}

let package = Package(
  name: "DropIn",
  dependencies: [
    // The traits of AppleMode: scripts/tests/test compiles this package once for both.
    .package(name: "swift-url-loading-system", path: "../..", traits: [.defaults, "Combine"]),
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
  ],
  targets: [
    .executableTarget(name: "DropIn", dependencies: [networking]),
    expressions("URLLoadingSystem", folder: "Expressions"),
    expressions("FoundationNetworking", folder: "ExpressionsWithFoundationNetworking"),
    expressions("Security", folder: "ExpressionsWithSecurity"),
    .target(name: "AppleForms", dependencies: [networking], swiftSettings: [.treatAllWarnings(as: .error)]),
    .target(name: "WellKnownNames"),
    names("URLLoadingSystem", folder: "Names"),
    names("FoundationNetworking", folder: "NamesWithFoundationNetworking"),
    .executableTarget(
      name: "DropInCombine",
      dependencies: [
        networking,
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "OpenCombineFoundation", package: "OpenCombine"),
      ]),
    // Two imports, as on Apple's platforms: Combine and Foundation.
    .executableTarget(name: "CombineApp", dependencies: [.product(name: "Combine", package: "swift-url-loading-system")]),
  ],
  swiftLanguageModes: [.v5]
)
