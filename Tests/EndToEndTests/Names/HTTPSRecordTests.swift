import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// HTTPS records (RFC 9460) steer connections over TCP. The origin's own addresses are held back where the record has to come first.
@Suite(.timeLimit(.minutes(10))) struct HTTPSRecordTests {
  private typealias Answer = DNSFixture.Answer

  /// What tests put into the DNS before their first load.
  private final class Records: @unchecked Sendable {
    // @unchecked: written before the first load.
    var services: [[UInt8]] = []
    /// The answers to questions for HTTPS records of other names.
    var others: [String: [[UInt8]]] = [:]
    /// Whether the site's own name has an address.
    var hasAddress = true
    /// Holds the answers for the site's own addresses, and for its HTTPS records.
    let addresses = Gate()
    let bindings = Gate(isOpen: true)

    func answer(_ name: String, _ type: Int) -> Answer {
      let isOwn = name == DNSFixture.name || name.hasSuffix("._https." + DNSFixture.name)
      switch type {
      case DNSFixture.https: return isOwn ? .held(services, bindings) : .records(others[name] ?? [])
      case DNSFixture.v4 where isOwn: return .held(hasAddress ? [DNSFixture.loopback()] : [], addresses)
      case DNSFixture.v4: return .records(name.hasPrefix("no.") ? [] : [DNSFixture.loopback()])
      default: return isOwn ? .held([], addresses) : .records([])
      }
    }
  }

  /// Runs `body` with the fixture's site, which says "origin", and another server of the same name, which says "service".
  private func serve(
    _ wire: Wire = .tls, hosts: [String] = [DNSFixture.name],
    _ body: (DNSFixture, TestServer, Records) async throws -> Void
  ) async throws {
    let records = Records()
    try await DNSFixture.with(wire, { records.answer($0, $1) }) { fixture async throws in
      let authority = try TestCertificateAuthority()
      fixture.configuration.trust(authority)
      try await TestServer.with(wire.options(authority.issue(hosts: hosts))) { service async throws in
        fixture.site.route("/*", reply: .text("origin"))
        service.route("/*", reply: .text("service"))
        try await body(fixture, service, records)
      }
      records.addresses.open()
    }
  }

  @Test(arguments: [Wire.tls, .h2]) func portAndTargetAreFollowed(_ wire: Wire) async throws {
    try await serve(wire) { fixture, service, records async throws in
      records.services = [DNSFixture.service(1, "svc.test", port: service.port)]
      let session = URLSession(configuration: fixture.configuration)
      let recorder = DelegateRecorder()
      let data = try await session.data(for: URLRequest(url: fixture.url), delegate: recorder).0
      #expect(String(decoding: data, as: UTF8.self) == "service")
      #expect(recorder.metrics?.transactionMetrics.last?.remotePort == service.port)
      // Everything else is the origin's, the connection too.
      #expect(try await session.text(from: fixture.url).0 == "service")
      #expect(service.acceptedConnections == 1)
      let authority = "\(DNSFixture.name):\(fixture.site.port)"
      #expect(service.requests.allSatisfy { ($0.headers["host"] ?? $0.headers[":authority"]) == authority })
      session.invalidateAndCancel()
    }
  }

  @Test func webSocketsFollowThemToo() async throws {
    try await serve { fixture, service, records async throws in
      records.services = [DNSFixture.service(1, "svc.test", port: service.port)]
      service.route("/echo", .GET, reply: .webSocket(WebSocketService(.echo)))
      let session = URLSession(configuration: fixture.configuration)
      let url = try #require(URL(string: "wss://\(DNSFixture.name):\(fixture.site.port)/echo"))
      let task = session.webSocketTask(with: url)
      task.resume()
      try await task.send(.string("a"))
      let message = try await task.receive()
      if case .string(let text) = message { #expect(text == "a") } else { Issue.record("another message") }
      task.cancel()
      session.invalidateAndCancel()
    }
  }

  @Test func hintsAreConnectedToBeforeTheAddressesAreKnown() async throws {
    try await serve { fixture, _, records async throws in
      records.services = [DNSFixture.service(hints: [[127, 0, 0, 1]])]
      let session = URLSession(configuration: fixture.configuration)
      // IPv6 has its moment first: that of the name's server too, where its address of IPv4 is known before.
      let moments = Task { [clock = fixture.clock] in
        while true {
          try await clock.waitForWake(within: 0.05)
          clock.advance(by: 0.05)
        }
      }
      let text = try await session.text(from: fixture.url).0
      moments.cancel()
      #expect(text == "origin")
      session.invalidateAndCancel()
    }
  }

  @Test func wrongHintsGiveWayToTheAddresses() async throws {
    try await serve { fixture, _, records async throws in
      // Another address of the machine, where nothing listens.
      records.services = [DNSFixture.service(hints: [[127, 9, 9, 9]])]
      records.addresses.open()
      let session = URLSession(configuration: fixture.configuration)
      #expect(try await session.text(from: fixture.url).0 == "origin")
      session.invalidateAndCancel()
    }
  }

  /// The name of the site has no address of its own.
  @Test func aliasesAreFollowed() async throws {
    try await serve { fixture, service, records async throws in
      records.hasAddress = false
      records.addresses.open()
      records.services = [DNSFixture.service(0, "alias.test")]
      let session = URLSession(configuration: fixture.configuration)
      #expect(try await session.text(from: fixture.url).0 == "origin")
      session.invalidateAndCancel()

      records.others = ["alias.test": [DNSFixture.service(0, "b.test")], "b.test": [DNSFixture.service(1, port: service.port)]]
      let other = URLSession(configuration: fixture.configuration)
      #expect(try await other.text(from: fixture.url).0 == "service")
      other.invalidateAndCancel()
    }
  }

  @Test func aliasesInACircleAreLeftAlone() async throws {
    try await serve { fixture, _, records async throws in
      records.addresses.open()
      records.services = [DNSFixture.service(0, "alias.test")]
      records.others = ["alias.test": [DNSFixture.service(0, "b.test")], "b.test": [DNSFixture.service(0, "alias.test")]]
      let session = URLSession(configuration: fixture.configuration)
      #expect(try await session.text(from: fixture.url).0 == "origin")
      session.invalidateAndCancel()
      #expect(fixture.asked.count { $0 == DNSFixture.https } <= 10)
    }
  }

  /// Records that TCP doesn't follow.
  enum Useless: String, CaseIterable, Sendable {
    case otherProtocol, http3Alone, unknownMandatory, contradiction, malformed, noPort, aliasOfNothing

    func record(_ port: Int) -> [UInt8] {
      switch self {
      case .otherProtocol: DNSFixture.service(port: port, protocols: ["foo"], takesDefaultBack: true)
      case .http3Alone: DNSFixture.service(port: port, protocols: ["h3"], takesDefaultBack: true)
      case .unknownMandatory: DNSFixture.service(port: port, mandatory: [5], others: [5: [1, 2]])
      case .contradiction: DNSFixture.service(port: port, takesDefaultBack: true)
      // The keys aren't in order.
      case .malformed: DNSFixture.record(DNSFixture.https, [0, 1, 0, 0, 3, 0, 2, 0, 80, 0, 2, 0, 0])
      case .noPort: DNSFixture.service(port: 0)
      case .aliasOfNothing: DNSFixture.service(0)
      }
    }
  }

  @Test(arguments: Useless.allCases) func recordsWithoutUseAreLeftAlone(_ useless: Useless) async throws {
    try await serve { fixture, service, records async throws in
      // The record is known by the time of the second load.
      records.addresses.open()
      records.services = [useless.record(service.port)]
      fixture.site.route("/*", reply: Reply(headers: ["Connection": "close"], body: .text("origin")))
      let session = URLSession(configuration: fixture.configuration)
      for _ in 0..<3 { #expect(try await session.text(from: fixture.url).0 == "origin") }
      #expect(service.acceptedConnections == 0)
      session.invalidateAndCancel()
    }
  }

  @Test func nextPlaceIsTriedWhereOneFails() async throws {
    let closed = try ClosedPort()
    try await serve { fixture, service, records async throws in
      records.services = [
        DNSFixture.service(2, "svc.test", port: service.port), DNSFixture.service(1, "no.test"),
        DNSFixture.service(1, "svc.test", port: closed.number),
      ]
      service.route("/*", reply: Reply(headers: ["Connection": "close"], body: .text("service")))
      let session = URLSession(configuration: fixture.configuration)
      for _ in 0..<2 { #expect(try await session.text(from: fixture.url).0 == "service") }
      // What has worked comes first from then on.
      #expect(fixture.asked.count { $0 == DNSFixture.https } == 1)
      session.invalidateAndCancel()
    }
  }

  @Test func originIsLeftWhereAllPlacesFail() async throws {
    let closed = try ClosedPort()
    try await serve { fixture, _, records async throws in
      records.services = [DNSFixture.service(1, "no.test"), DNSFixture.service(2, "svc.test", port: closed.number)]
      let session = URLSession(configuration: fixture.configuration)
      let text = Task { try await session.text(from: fixture.url).0 }
      try await records.addresses.reached()
      records.addresses.open()
      #expect(try await text.value == "origin")
      session.invalidateAndCancel()
    }
  }

  /// A place that accepts connections and isn't the origin's: no certificate for its name, no TLS at all.
  @Test(arguments: [true, false]) func placeThatIsNotTheOriginsIsLeft(_ hasTLS: Bool) async throws {
    try await serve(hosts: ["another.test"]) { fixture, service, records async throws in
      let raw = try await TestServer.start(.rawInTurn((0..<3).map { _ in [.send("no TLS here\r\n"), .close] }))
      let port = hasTLS ? service.port : raw.port
      records.services = [DNSFixture.service(1, "svc.test", port: port)]
      fixture.site.route("/*", reply: Reply(headers: ["Connection": "close"], body: .text("origin")))
      let session = URLSession(configuration: fixture.configuration)
      let text = Task { try await session.text(from: fixture.url).0 }
      try await records.addresses.reached()
      records.addresses.open()
      #expect(try await text.value == "origin")
      // It isn't tried again while the record is kept.
      #expect(try await session.text(from: fixture.url).0 == "origin")
      #expect((hasTLS ? service : raw).acceptedConnections == 1)
      #expect(service.requests.isEmpty)
      session.invalidateAndCancel()
      await raw.shutdown()
    }
  }

  /// A delegate is asked about the server there, for the origin's name; what it decides counts.
  @Test(arguments: [true, false]) func delegatesAreAskedAboutThePlace(_ accepts: Bool) async throws {
    try await serve { fixture, service, records async throws in
      records.services = [DNSFixture.service(1, "svc.test", port: service.port)]
      let port = fixture.site.port
      let delegate = ChallengeDelegate { space in
        #expect(space.host == DNSFixture.name && space.port == port)
        return accepts ? (.performDefaultHandling, nil) : (.cancelAuthenticationChallenge, nil)
      }
      let session = URLSession(configuration: fixture.configuration)
      if accepts {
        let data = try await session.data(for: URLRequest(url: fixture.url), delegate: delegate).0
        #expect(String(decoding: data, as: UTF8.self) == "service")
      } else {
        #expect(await session.failure(of: URLRequest(url: fixture.url), delegate: delegate)?.code == .cancelled)
        #expect(fixture.site.acceptedConnections == 0)
      }
      session.invalidateAndCancel()
    }
  }

  @Test func recordThatComesTooLateIsForTheNextConnection() async throws {
    try await serve { fixture, service, records async throws in
      let late = records.bindings
      late.close()
      records.addresses.open()
      records.services = [DNSFixture.service(1, "svc.test", port: service.port)]
      fixture.site.route("/*", reply: Reply(headers: ["Connection": "close"], body: .text("origin")))
      let session = URLSession(configuration: fixture.configuration)
      #expect(try await session.text(from: fixture.url).0 == "origin")
      late.open()
      var last = ""
      for _ in 0..<500 where last != "service" {
        last = try await session.text(from: fixture.url).0
        await session.barrier()
      }
      #expect(last == "service")
      session.invalidateAndCancel()
    }
  }

  @Test func nothingIsAskedForWhatGoesThroughAProxy() async throws {
    try await serve { fixture, service, records async throws in
      records.addresses.open()
      records.services = [DNSFixture.service(1, "svc.test", port: service.port)]
      var options = TestProxy.Options()
      options.names = [DNSFixture.name]
      try await TestProxy.with(options) { proxy async throws in
        fixture.configuration.use(proxy.port)
        let session = URLSession(configuration: fixture.configuration)
        #expect(try await session.text(from: fixture.url).0 == "origin")
        #expect(fixture.asked.isEmpty)
        session.invalidateAndCancel()
      }
    }
  }

  @Test func loadsAreCancelledWhileNothingIsKnown() async throws {
    try await serve { fixture, _, records async throws in
      records.bindings.close()
      records.services = [DNSFixture.service(1, "no.test")]
      let session = URLSession(configuration: fixture.configuration)
      let load = Task { await session.failure(of: fixture.url)?.code }
      try await records.bindings.reached()
      load.cancel()
      #expect(await load.value == .cancelled)
      session.invalidateAndCancel()
      records.bindings.open()
    }
  }

  /// The place answers after its connection has broken: requests are sent again there.
  @Test func brokenConnectionsAreRepairedAtThePlace() async throws {
    try await serve { fixture, service, records async throws in
      records.services = [DNSFixture.service(1, "svc.test", port: service.port)]
      service.enqueue(.text("one"), Reply(faults: [.disconnectBeforeHeaders]), .text("three"))
      let session = URLSession(configuration: fixture.configuration)
      #expect(try await session.text(from: fixture.url).0 == "one")
      #expect(try await session.text(from: fixture.url).0 == "three")
      #expect(service.acceptedConnections == 2)
      session.invalidateAndCancel()
    }
  }

  /// The same record for both: TCP and QUIC race to one place, and whichever wins, the origin's own is left alone.
  @Test(.enabled(if: Wire.hasHTTP3, "built without HTTP/3")) func http3IsTriedBesideTCPAtThePlace() async throws {
    try await serve(.h2) { fixture, _, records async throws in
      let authority = try TestCertificateAuthority()
      fixture.configuration.trust(authority)
      let both = try await TestServer.start(Wire.h3.options(authority.issue(hosts: [DNSFixture.name])))
      both.route("/*", reply: .text("service"))
      records.services = [DNSFixture.service(1, "svc.test", port: both.port, protocols: ["h2", "h3"])]
      let session = URLSession(configuration: fixture.configuration)
      var versions: Set<String> = []
      for _ in 0..<200 where !versions.contains("h3") {
        let recorder = DelegateRecorder()
        let data = try await session.data(for: URLRequest(url: fixture.url), delegate: recorder).0
        #expect(String(decoding: data, as: UTF8.self) == "service")
        versions.formUnion([recorder.metrics?.transactionMetrics.last?.networkProtocolName].compactMap(\.self))
        await session.barrier()
      }
      #expect(versions.contains("h3"))
      #expect(fixture.site.acceptedConnections == 0)
      session.invalidateAndCancel()
      await both.shutdown()
    }
  }
}
