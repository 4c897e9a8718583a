import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Addresses and places that an app gives its sessions. No name here is one that the system's resolver knows.
@Suite(.timeLimit(.minutes(10))) struct NameResolutionTests {
  private func serve(_ wire: Wire, _ body: (TestServer, URLSessionConfiguration) async throws -> Void) async throws {
    let authority = try TestCertificateAuthority()
    let configuration = URLSessionConfiguration.testing(trusting: authority)
    wire.use(in: configuration)
    try await TestServer.with(wire.options(authority.issue(hosts: ["api.test", "other.test"]))) { try await body($0, configuration) }
  }

  private func url(_ wire: Wire, _ rest: String) throws -> URL {
    try #require(URL(string: "\(wire == .plain ? "http" : "https")://\(rest)"))
  }

  private func host(_ request: RecordedRequest) -> String? { request.headers["host"] ?? request.headers[":authority"] }

  @Test(arguments: Wire.allCases) func fixedAddressesAreConnectedTo(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      configuration.nameResolution = .fixed(["api.test:\(server.port)": ["::1", "127.0.0.1"], "other.test": ["127.0.0.1"]])
      let session = URLSession(configuration: configuration)
      for name in ["api.test", "other.test"] {
        server.enqueue(.text(name))
        let recorder = DelegateRecorder()
        let request = URLRequest(url: server.url("/", host: name))
        #expect(try await session.data(for: request, delegate: recorder).0 == Data(name.utf8))
        #expect(recorder.metrics?.transactionMetrics.last?.remoteAddress == "127.0.0.1")
      }
      #expect(server.requests.map(host) == ["api.test:\(server.port)", "other.test:\(server.port)"])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func otherPlacesAreConnectedTo(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      configuration.nameResolution.connectTo = [
        "api.test": "127.0.0.1:\(server.port)", ":7": ":\(server.port)", "other.test:9": "localhost",
      ]
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("one"))
      #expect(try await session.text(from: url(wire, "api.test/")).0 == "one")
      #expect(server.requests.map(host) == ["api.test"])
      #expect(await session.failure(of: try url(wire, "other.test:9/")) != nil)
      session.invalidateAndCancel()
    }
  }

  @Test func fixedNamesNeedNoValidationAndSocketsNoNames() async throws {
    try await serve(.tls) { server, configuration async throws in
      configuration.nameResolution = .fixed(["api.test": ["127.0.0.1"]])
      configuration.requiresDNSSECValidation = true
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("ok"))
      #expect(try await session.text(from: server.url("/", host: "api.test")).0 == "ok")
      #expect(await session.failure(of: server.url("/", host: "other.test"))?.code == .dnsLookupFailed)
      session.invalidateAndCancel()
    }
  }

  @Test func mistakesAreNamed() async throws {
    let url = try #require(URL(string: "http://api.test/"))
    let configuration = URLSessionConfiguration.testing()
    configuration.nameResolution = .fixed(["api.test": ["host.test"]])
    let fixed = URLSession(configuration: configuration)
    let wrongAddress = await fixed.failure(of: url)
    #expect(wrongAddress?.code == .dnsLookupFailed && wrongAddress?.localizedDescription.contains("host.test") == true)
    configuration.nameResolution = .system
    configuration.nameResolution.connectTo = ["other.test": "a:b:c"]
    let placed = URLSession(configuration: configuration)
    let wrongPlace = await placed.failure(of: url)
    #expect(wrongPlace?.code == .cannotConnectToHost && wrongPlace?.localizedDescription.contains("a:b:c") == true)
    fixed.invalidateAndCancel()
    placed.invalidateAndCancel()
  }

  @Test(arguments: Wire.allCases) func appsFunctionIsAskedOnceForAName(_ wire: Wire) async throws {
    try await serve(wire) { server, configuration async throws in
      let calls = Mutex<[String]>([])
      configuration.nameResolution = .custom { name, port in
        calls.withLock { $0.append("\(name):\(port)") }
        return ["127.0.0.1"]
      }
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("one"), .text("two"))
      #expect(try await session.text(from: server.url("/", host: "api.test")).0 == "one")
      #expect(try await session.text(from: server.url("/", host: "api.test")).0 == "two")
      #expect(calls.withLock { $0 } == ["api.test:\(server.port)"])
      session.invalidateAndCancel()
    }
  }

  @Test func appsAddressesAreKeptForHalfAMinute() async throws {
    try await serve(.plain) { server, configuration async throws in
      let clock = ManualClock()
      configuration.use(clock)
      let calls = Mutex(0)
      configuration.nameResolution = .custom { _, _ in
        calls.withLock { $0 += 1 }
        return ["127.0.0.1"]
      }
      server.route("/", reply: Reply(headers: ["Connection": "close"]))
      let session = URLSession(configuration: configuration)
      for (seconds, count) in [(0.0, 1), (25, 1), (10, 2)] {
        clock.advance(by: seconds)
        _ = try await session.data(from: server.url("/", host: "api.test"))
        #expect(calls.withLock { $0 } == count)
      }
      session.invalidateAndCancel()
    }
  }

  @Test func functionThatNeverReturnsIsGivenUp() async throws {
    let (clock, asked) = (ManualClock(), Signal())
    let configuration = URLSessionConfiguration.testing()
    configuration.use(clock)
    configuration.nameResolution = .custom { _, _ in
      asked.send()
      // Ends with its Swift task alone.
      let (never, end) = AsyncStream.makeStream(of: Void.self)
      for await _ in never {}
      withExtendedLifetime(end) {}
      return []
    }
    let session = URLSession(configuration: configuration)
    let url = try #require(URL(string: "http://silent.test/"))
    for _ in 0..<2 {
      async let failure = session.failure(of: URLRequest(url: url))
      await asked.wait()
      clock.advance(by: 11)
      #expect(await failure?.code == .dnsLookupFailed)
    }
    session.invalidateAndCancel()
  }

  @Test func errorsOfTheAppsFunctionAreTold() async throws {
    let configuration = URLSessionConfiguration.testing()
    configuration.nameResolution = .custom { name, _ in
      switch name {
      case "none.test": []
      case "absent.test": throw URLError(.cannotFindHost)
      case "odd.test": ["localhost"]
      default: throw CocoaError(.featureUnsupported)
      }
    }
    let session = URLSession(configuration: configuration)
    for (name, code) in [
      ("none.test", URLError.Code.cannotFindHost), ("absent.test", .cannotFindHost), ("odd.test", .dnsLookupFailed),
      ("failing.test", .dnsLookupFailed),
    ] {
      #expect(await session.failure(of: try #require(URL(string: "http://\(name)/")))?.code == code)
    }
    session.invalidateAndCancel()
  }
}
