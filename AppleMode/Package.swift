// swift-tools-version: 6.2
import PackageDescription

// What packages that were made for Apple's platforms alone find in the place of their modules; see Documentation/apple-mode.md.
// A package of its own: none of these modules exists in a build that doesn't ask for them.
let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]

let networking = "swift-url-loading-system"

let package = Package(
  name: "AppleMode",
  products: [
    .library(name: "AppleMode", targets: ["AppleMode", "AppleDarwin", "AppleOS"]),
    .library(name: "AppleUIKit", targets: ["AppleUIKit"]),
  ],
  dependencies: [
    .package(name: networking, path: "..", traits: [.defaults, "Combine"]),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
  ],
  targets: [
    .target(name: "CAppleDarwin"),
    .target(name: "AppleDarwin", dependencies: ["CAppleDarwin"], swiftSettings: strict),
    .target(name: "AppleOS", dependencies: ["CAppleDarwin"], swiftSettings: strict),
    // What `import UIKit` means for targets that ask for it.
    .target(name: "AppleUIKit", dependencies: [.product(name: "HeadlessUIKit", package: networking)], swiftSettings: strict),
    .target(
      name: "AppleMode",
      dependencies: [
        "CAppleDarwin",
        .product(name: "URLLoadingSystem", package: networking),
        .product(name: "Combine", package: networking),
        .product(name: "Security", package: networking),
        .product(name: "Crypto", package: "swift-crypto"),
      ], swiftSettings: strict),
  ]
)
