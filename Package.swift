// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
]

// The engine's functions stay on the executor of the load that calls them instead of asking for it at each call.
let engine: [SwiftSetting] = strict + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

// What only the test kit, the tests and the examples use is left out of the graph of packages that depend on this one.
let testKit: TargetDependencyCondition? = .when(traits: ["TestKit"])
let inspector: TargetDependencyCondition? = .when(traits: ["Inspector"])
let development: TargetDependencyCondition? = .when(traits: ["Development"])

let package = Package(
  name: "swift-url-loading-system",
  products: [
    .library(name: "URLLoadingSystem", targets: ["URLLoadingSystem"]),
    .library(name: "URLLoadingSystemDynamic", type: .dynamic, targets: ["URLLoadingSystem"]),
    .library(name: "FoundationNetworking", targets: ["FoundationNetworking"]),
    .library(name: "Security", targets: ["Security"]),
    .library(name: "Combine", targets: ["Combine"]),
    .library(name: "URLLoadingHTTPTypes", targets: ["URLLoadingHTTPTypes"]),
    .library(name: "URLLoadingInspector", targets: ["URLLoadingInspector"]),
    .library(name: "URLLoadingTestKit", targets: ["URLLoadingTestKit"]),
    .library(name: "HeadlessUIKit", targets: ["HeadlessUIKit", "HeadlessDrawing", "HeadlessLayout"]),
    .library(name: "urlload-leaks", type: .dynamic, targets: ["CLoadingLeaks"]),
    .executable(name: "urlload", targets: ["urlload"]),
    .executable(name: "urlsessiond", targets: ["urlsessiond"]),
  ],
  traits: [
    .trait(name: "PAC", description: "Proxy configuration scripts, run by Duktape: needs its library and header (Debian: duktape-dev)."),
    .trait(
      name: "HTTP3",
      description: "HTTP/3, by ngtcp2 and nghttp3: needs their libraries and headers (Debian: libngtcp2-dev, libnghttp3-dev)."),
    .trait(name: "Combine", description: "The contents of the product Combine, over OpenCombine. Without it the product is empty."),
    .trait(name: "TestKit", description: "The contents of the product URLLoadingTestKit: a loopback server for tests of your networking."),
    .trait(name: "HTTPTypes", description: "Loads of swift-http-types' requests and responses."),
    .trait(name: "Logging", description: "Log lines of loads and connections, by swift-log."),
    .trait(name: "Metrics", description: "Counters and timers of loads and connections, by swift-metrics."),
    .trait(name: "Tracing", description: "A span for each task, by swift-distributed-tracing."),
    .trait(name: "ServiceLifecycle", description: "Sessions as services that finish their tasks, by swift-service-lifecycle."),
    .trait(name: "Inspector", description: "The contents of the product URLLoadingInspector: recordings of transfers, HAR, a live page."),
    .trait(
      name: "Development", description: "What this package's own tests, tool and examples are built with.",
      enabledTraits: ["HTTP3", "Combine", "TestKit", "HTTPTypes", "Logging", "Metrics", "Tracing", "ServiceLifecycle", "Inspector"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    // Tested with 2.37.6. Two of its classes and the headers of its BoringSSL are looked at (decision 3): another version may end the build.
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.0"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms.git", from: "1.1.4"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.1.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
  ],
  targets: [
    .target(name: "CLoadingCompression", linkerSettings: [.linkedLibrary("z"), .linkedLibrary("dl")]),
    .target(name: "CLoadingDesktop", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CLoadingNames", linkerSettings: [.linkedLibrary("dl"), .linkedLibrary("resolv")]),
    .target(name: "CLoadingProcess"),
    // Preloaded into programs whose leaks are looked for. Nothing may depend on it: its malloc would take the place of the program's.
    .target(name: "CLoadingLeaks", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CLoadingTracing"),
    .target(name: "CLoadingCairo", linkerSettings: [.linkedLibrary("dl")]),
    // Apple's names for paths, drawing and layouts, without a screen. Nothing above them is in their graph, nor they in others'.
    .target(name: "HeadlessDrawing", dependencies: ["CLoadingCairo"], swiftSettings: strict),
    .target(name: "HeadlessLayout", dependencies: ["HeadlessDrawing"], swiftSettings: strict),
    .target(name: "HeadlessUIKit", dependencies: ["HeadlessDrawing", "HeadlessLayout"], swiftSettings: strict),
    .target(name: "CLoadingSQLite", linkerSettings: [.linkedLibrary("dl")]),
    // Sees the headers of NIOSSL's BoringSSL (decision 3).
    .target(name: "CLoadingBoringSSL", dependencies: [.product(name: "NIOSSL", package: "swift-nio-ssl")]),
    .target(
      name: "CLoadingProxyScript", cSettings: [.define("LOADING_PAC", .when(traits: ["PAC"]))],
      linkerSettings: [.linkedLibrary("duktape", .when(traits: ["PAC"]))]),
    .target(
      name: "CLoadingQUIC", dependencies: [.product(name: "NIOSSL", package: "swift-nio-ssl")],
      cSettings: [.define("LOADING_HTTP3", .when(traits: ["HTTP3"]))],
      linkerSettings: [
        .linkedLibrary("ngtcp2", .when(traits: ["HTTP3"])), .linkedLibrary("nghttp3", .when(traits: ["HTTP3"])),
      ]),
    // The test kit's.
    .target(
      name: "CLoadingQUICServer", dependencies: ["CLoadingQUIC", .product(name: "NIOSSL", package: "swift-nio-ssl")],
      cSettings: [.define("LOADING_HTTP3", .when(traits: ["HTTP3"]))]),
    .target(name: "LoadingModel", dependencies: ["CLoadingProcess"], swiftSettings: strict),
    .target(
      name: "Cryptography", dependencies: ["CLoadingBoringSSL", .product(name: "NIOSSL", package: "swift-nio-ssl")],
      swiftSettings: strict),
    .target(name: "ProtocolRules", dependencies: ["LoadingModel", "Cryptography"], swiftSettings: strict),
    .target(
      name: "Stores",
      dependencies: [
        "LoadingModel", "ProtocolRules", "Cryptography", "CLoadingCompression", "CLoadingDesktop", "CLoadingNames", "CLoadingSQLite",
      ],
      swiftSettings: strict),
    .target(
      name: "BackgroundTransfers", dependencies: ["LoadingModel", "Stores", "Cryptography", "CLoadingProcess"], swiftSettings: strict),
    .target(
      name: "HTTPTransport",
      dependencies: [
        "LoadingModel", "ProtocolRules", "CLoadingCompression", "CLoadingNames", "CLoadingProcess", "CLoadingBoringSSL", "CLoadingQUIC",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ], swiftSettings: engine),
    .target(
      name: "FTPTransport",
      dependencies: [
        "LoadingModel", "ProtocolRules", "HTTPTransport",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOTLS", package: "swift-nio"),
      ], swiftSettings: engine),
    .target(
      name: "LoadingEngine",
      dependencies: [
        "LoadingModel", "ProtocolRules", "HTTPTransport", "FTPTransport", "Stores", "CLoadingCompression", "CLoadingDesktop",
        "CLoadingNames", "CLoadingProcess", "CLoadingProxyScript",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
      ], swiftSettings: engine),
    .target(
      name: "URLLoadingSystem",
      dependencies: [
        "LoadingModel", "ProtocolRules", "HTTPTransport", "Stores", "LoadingEngine", "BackgroundTransfers", "CLoadingProcess",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
        .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
        .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["ServiceLifecycle"])),
      ], swiftSettings: strict),
    .target(
      name: "URLLoadingHTTPTypes",
      dependencies: [
        "URLLoadingSystem", "LoadingModel",
        .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["HTTPTypes"])),
      ], swiftSettings: strict),
    .target(
      name: "URLLoadingInspector",
      dependencies: [
        "URLLoadingSystem", "HTTPTransport", "ProtocolRules", "LoadingModel", "Cryptography",
        .product(name: "NIOCore", package: "swift-nio", condition: inspector),
        .product(name: "NIOPosix", package: "swift-nio", condition: inspector),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: inspector),
      ], swiftSettings: strict),
    .target(
      name: "BackgroundDaemon",
      dependencies: [
        "URLLoadingSystem", "BackgroundTransfers", "LoadingEngine", "ProtocolRules", "LoadingModel", "Stores", "CLoadingDesktop",
        "CLoadingProcess",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "urlsessiond",
      dependencies: ["BackgroundDaemon", "BackgroundTransfers", "LoadingModel", "URLLoadingSystem", "URLLoadingInspector"],
      exclude: ["systemd"], swiftSettings: strict),
    .target(name: "FoundationNetworking", dependencies: ["URLLoadingSystem"], swiftSettings: strict),
    .target(name: "Security", dependencies: ["URLLoadingSystem", "HTTPTransport", "LoadingModel"], swiftSettings: strict),
    .target(
      name: "Combine",
      dependencies: ["URLLoadingSystem", .product(name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["Combine"]))],
      swiftSettings: strict),
    .target(
      name: "URLLoadingTestKit",
      dependencies: [
        "URLLoadingSystem", "LoadingEngine", "HTTPTransport", "ProtocolRules", "LoadingModel", "CLoadingQUIC", "CLoadingQUICServer",
        "CLoadingBoringSSL",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: testKit),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "Crypto", package: "swift-crypto", condition: testKit),
        .product(name: "SwiftASN1", package: "swift-asn1", condition: testKit),
        .product(name: "X509", package: "swift-certificates", condition: testKit),
        .product(name: "NIOResumableUpload", package: "swift-nio-extras", condition: testKit),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: testKit),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras", condition: testKit),
        .product(name: "NIOHTTPTypesHTTP2", package: "swift-nio-extras", condition: testKit),
        .product(name: "HTTPTypes", package: "swift-http-types", condition: testKit),
      ], swiftSettings: strict),
    .target(name: "ProcessMemory", dependencies: ["LoadingModel", "CLoadingTracing", "CLoadingProcess"], swiftSettings: strict),
    .executableTarget(
      name: "urlload",
      dependencies: [
        "ProcessMemory", "URLLoadingSystem", "BackgroundTransfers", "HTTPTransport", "ProtocolRules", "LoadingModel", "Cryptography",
        "Security",
        "URLLoadingInspector", "HeadlessDrawing",
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: strict),
    .executableTarget(
      name: "Demo",
      dependencies: [
        "URLLoadingSystem", "BackgroundTransfers", "LoadingModel", "Cryptography", "Security", "URLLoadingInspector", "URLLoadingTestKit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Examples/Demo", swiftSettings: strict),
    .target(
      name: "Snippets", dependencies: ["URLLoadingSystem", "URLLoadingHTTPTypes"], path: "Examples/Snippets", swiftSettings: strict),
    .executableTarget(
      name: "BackgroundDownload", dependencies: ["FoundationNetworking"], path: "Examples/BackgroundDownload", swiftSettings: strict),
    .executableTarget(
      name: "ObservedDownload", dependencies: ["FoundationNetworking"], path: "Examples/ObservedDownload", swiftSettings: strict),
    .target(
      name: "Pinning",
      dependencies: ["FoundationNetworking", "Security", .product(name: "Crypto", package: "swift-crypto", condition: development)],
      path: "Examples/Pinning", swiftSettings: strict),
    .target(name: "CombineChains", dependencies: ["Combine"], path: "Examples/CombineChains", swiftSettings: strict),
    .executableTarget(
      name: "CombineNews", dependencies: ["CombineChains", "Combine"], path: "Examples/CombineNews", swiftSettings: strict),
    .executableTarget(
      name: "PhotoWall", dependencies: ["Combine", "HeadlessUIKit", "URLLoadingSystem", "URLLoadingTestKit"], path: "Examples/PhotoWall",
      swiftSettings: strict),
    .executableTarget(name: "Figures", dependencies: ["HeadlessUIKit"], path: "Examples/Figures", swiftSettings: strict),
    .testTarget(name: "HeadlessDrawingTests", dependencies: ["HeadlessDrawing", "CLoadingCairo", "ChildProcesses"], swiftSettings: strict),
    .testTarget(name: "HeadlessLayoutTests", dependencies: ["HeadlessLayout", "HeadlessDrawing"], swiftSettings: strict),
    .testTarget(
      name: "CombineTests",
      dependencies: [
        "Combine", "CombineChains", "URLLoadingSystem", "URLLoadingTestKit",
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms", condition: development),
      ], swiftSettings: strict),
    .testTarget(
      name: "SecurityTests", dependencies: ["Security", "Pinning", "URLLoadingSystem", "URLLoadingTestKit", "LoadingModel"],
      swiftSettings: strict),
    .testTarget(name: "SnippetTests", dependencies: ["Snippets", "URLLoadingSystem", "URLLoadingTestKit"], swiftSettings: strict),
    .target(name: "ChildProcesses", dependencies: ["LoadingModel"], path: "Tests/ChildProcesses", swiftSettings: strict),
    .executableTarget(
      name: "StoreWriter", dependencies: ["Stores", "ProtocolRules", "LoadingModel"], path: "Tests/StoreWriter", swiftSettings: strict),
    .executableTarget(
      name: "WebSocketConformance", dependencies: ["URLLoadingSystem", "LoadingModel"], path: "Tests/WebSocketConformance",
      swiftSettings: strict),
    .testTarget(
      name: "UrlloadTests",
      dependencies: [
        "urlload", "urlsessiond", "Demo", "StoreWriter", "URLLoadingInspector", "ProcessMemory", "BackgroundTransfers", "ChildProcesses",
        "Stores",
        "ProtocolRules",
        "LoadingModel",
        "URLLoadingSystem", "URLLoadingTestKit",
        .product(name: "Crypto", package: "swift-crypto", condition: development),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CryptographyTests", dependencies: ["Cryptography", .product(name: "Crypto", package: "swift-crypto", condition: development)],
      swiftSettings: strict),
    .testTarget(
      name: "ProcessMemoryTests", dependencies: ["ProcessMemory", "ChildProcesses"], exclude: ["Programs"], swiftSettings: strict),
    .testTarget(name: "LoadingModelTests", dependencies: ["LoadingModel"], swiftSettings: strict),
    .testTarget(
      name: "ProtocolRulesTests", dependencies: ["ProtocolRules", "Cryptography", "LoadingModel", "SeededNumbers"], swiftSettings: strict),
    .testTarget(
      name: "StoresTests",
      dependencies: [
        "Stores", "CLoadingCompression", "CLoadingSQLite", "ProtocolRules", "LoadingModel", "ChildProcesses",
        .product(name: "Crypto", package: "swift-crypto", condition: development),
      ], swiftSettings: strict),
    .target(name: "SeededNumbers", path: "Tests/SeededNumbers", swiftSettings: strict),
    .target(
      name: "MessageSamples", dependencies: ["BackgroundTransfers", "SeededNumbers"], path: "Tests/MessageSamples", swiftSettings: strict),
    .testTarget(
      name: "BackgroundTransfersTests",
      dependencies: ["BackgroundTransfers", "Stores", "LoadingModel", "ChildProcesses", "MessageSamples"], swiftSettings: strict),
    .executableTarget(
      name: "BackgroundApp", dependencies: ["URLLoadingSystem", "BackgroundTransfers", "HTTPTransport", "Stores", "LoadingModel"],
      path: "Tests/BackgroundApp", swiftSettings: strict),
    .testTarget(
      name: "BackgroundDaemonTests",
      dependencies: [
        "urlsessiond", "BackgroundApp",
        "BackgroundDaemon", "BackgroundTransfers", "URLLoadingSystem", "URLLoadingTestKit", "LoadingEngine", "HTTPTransport",
        "ProtocolRules", "LoadingModel", "ChildProcesses", "Stores", "MessageSamples",
      ], swiftSettings: strict),
    .testTarget(
      name: "LoadingEngineTests",
      dependencies: [
        "LoadingEngine", "CLoadingProcess", "ProtocolRules", "HTTPTransport", "LoadingModel", "Stores", "URLLoadingTestKit",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: engine),
    .testTarget(
      name: "HTTPTransportTests",
      dependencies: [
        "HTTPTransport", "ProtocolRules", "LoadingModel", "Cryptography", "CLoadingQUIC", "CLoadingQUICServer", "URLLoadingTestKit",
        "SeededNumbers",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "Crypto", package: "swift-crypto", condition: development),
      ], exclude: ["Trust/Matrix/weak-certificates.pem"], swiftSettings: strict),
    .testTarget(
      name: "URLLoadingSystemTests",
      dependencies: ["URLLoadingSystem", "BackgroundTransfers", "LoadingEngine", "ProtocolRules", "LoadingModel", "Stores"],
      swiftSettings: strict),
    .testTarget(
      name: "URLLoadingHTTPTypesTests", dependencies: ["URLLoadingHTTPTypes", "URLLoadingSystem", "URLLoadingTestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "URLLoadingInspectorTests",
      dependencies: [
        "URLLoadingInspector", "URLLoadingSystem", "URLLoadingTestKit", "HTTPTransport", "ProtocolRules", "LoadingModel", "ChildProcesses",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ], swiftSettings: strict),
    .testTarget(
      name: "URLLoadingTestKitTests",
      dependencies: [
        "URLLoadingTestKit", "LoadingModel",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ], swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "URLLoadingSystem", "URLLoadingTestKit", "LoadingModel", "HTTPTransport", "ProtocolRules", "Stores", "ChildProcesses",
        "SeededNumbers",
        "CLoadingProxyScript",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "InMemoryLogging", package: "swift-log", condition: .when(traits: ["Logging"])),
        .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["ServiceLifecycle"])),
        .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle", condition: .when(traits: ["ServiceLifecycle"])),
      ],
      swiftSettings: strict),
    // Their inputs are replayed here; the package Fuzz has the same targets for libFuzzer.
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "URLLoadingSystem", "URLLoadingInspector", "BackgroundTransfers", "LoadingEngine", "HTTPTransport", "ProtocolRules", "LoadingModel",
        "Stores", "CLoadingQUIC", "CLoadingQUICServer", "MessageSamples",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "NIOHPACK", package: "swift-nio-http2", condition: development),
      ], swiftSettings: strict),
    .testTarget(
      name: "CombinationTests",
      dependencies: [
        "URLLoadingSystem", "URLLoadingTestKit", "Combine", "BackgroundTransfers", "LoadingModel", "ChildProcesses", "SeededNumbers",
        "urlsessiond",
      ], swiftSettings: strict),
  ]
)

// For a build that needs few of the tests, such as one in another system's root (scripts/tests/try-in-root).
if let names = Context.environment["URL_LOADING_TESTS"]?.split(separator: ",") {
  package.targets.removeAll { $0.type == .test && !names.contains($0.name[...]) }
}
