import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Addresses from a server of the DNS that is asked over HTTPS. No name here is one that the system's resolver knows.
@Suite(.timeLimit(.minutes(10))) struct DNSOverHTTPSTests {
  private typealias Answer = DNSFixture.Answer

  @Sendable private static func usual(_ name: String, _ type: Int) -> Answer {
    type == DNSFixture.v4 ? .records([DNSFixture.loopback()]) : .records([])
  }

  @Test(arguments: Wire.allCases) func namesAreFound(_ wire: Wire) async throws {
    try await DNSFixture.with(wire, Self.usual) { fixture async throws in
      let session = URLSession(configuration: fixture.configuration)
      fixture.site.enqueue(.text("one"), .text("two"))
      #expect(try await session.text(from: fixture.url).0 == "one")
      #expect(try await session.text(from: fixture.url).0 == "two")
      #expect(fixture.asked.filter { $0 != DNSFixture.https }.sorted() == [DNSFixture.v4, DNSFixture.v6])
      let question = try #require(fixture.dns.requests.first)
      #expect(question.body.count == 128 && question.headers["cookie"] == nil && question.headers["accept"] == DNSFixture.mediaType)
      session.invalidateAndCancel()
    }
  }

  @Test func answersAreKeptAsLongAsTheDNSSays() async throws {
    try await DNSFixture.with(.plain) { _, type in
      type == DNSFixture.v4 ? .records([DNSFixture.loopback(lifetime: 40)]) : .records([])
    } _: { fixture async throws in
      let session = URLSession(configuration: fixture.configuration)
      fixture.site.route("/", reply: Reply(headers: ["Connection": "close"]))
      for seconds in [0.0, 35, 10] {
        fixture.clock.advance(by: seconds)
        _ = try await session.data(from: fixture.url)
      }
      #expect(fixture.asked.count { $0 == DNSFixture.v4 } == 2)
      session.invalidateAndCancel()
    }
  }

  @Test func aliasesAreFollowed() async throws {
    try await DNSFixture.with { name, type in
      guard type == DNSFixture.v4 else { return .records([]) }
      switch name {
      case DNSFixture.name: return .records([DNSFixture.alias("a.test"), DNSFixture.alias("b.test", owner: "a.test")])
      case "b.test": return .records([DNSFixture.loopback()])
      default: return .records([], flags: 3)
      }
    } _: { fixture async throws in
      let session = URLSession(configuration: fixture.configuration)
      fixture.site.enqueue(.text("ok"))
      #expect(try await session.text(from: fixture.url).0 == "ok")
      session.invalidateAndCancel()
    }
  }

  /// What goes wrong, and how that is told.
  enum Trouble: String, CaseIterable, Sendable {
    case absent, servfail, refused, malformed, truncated, oversized, wrongType, wrongStatus, circle, endlessAliases, foreign, noAddresses

    var code: URLError.Code { self == .absent || self == .noAddresses ? .cannotFindHost : .dnsLookupFailed }

    var text: String {
      switch self {
      case .absent, .noAddresses: "no such host"
      case .servfail: "SERVFAIL"
      case .refused: "REFUSED"
      case .malformed: "malformed"
      case .truncated: "cut off"
      case .oversized: "65535"
      case .wrongType: DNSFixture.mediaType
      case .wrongStatus: "status"
      case .circle: "circle"
      case .endlessAliases: "aliases in a row"
      case .foreign: "another question"
      }
    }

    func answer(_ name: String) -> DNSFixture.Answer {
      switch self {
      case .absent: .records([], flags: 3)
      case .servfail: .records([], flags: 2)
      case .refused: .records([], flags: 5)
      case .malformed: .records([DNSFixture.record(DNSFixture.v4, [127]), DNSFixture.record(DNSFixture.v6, [0])])
      case .truncated: .records([DNSFixture.loopback()], flags: 0x0200)
      case .oversized: .reply(DNSFixture.response([UInt8](repeating: 0, count: 65_536)))
      case .wrongType: .reply(.text("no"))
      case .wrongStatus: .reply(Reply(500, headers: ["Content-Type": DNSFixture.mediaType]))
      case .circle: .records([DNSFixture.alias("a.test"), DNSFixture.alias(name, owner: "a.test")])
      case .endlessAliases: .records([DNSFixture.alias("n\((Int(name.dropFirst().prefix { $0.isNumber }) ?? 0) + 1).test")])
      case .foreign: .reply(DNSFixture.response([0, 0, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0x61, 0, 0, 1, 0, 1]))
      case .noAddresses: .records([])
      }
    }
  }

  @Test(arguments: Trouble.allCases) func troubleEndsInItsError(_ trouble: Trouble) async throws {
    try await DNSFixture.with { name, _ in
      trouble.answer(name)
    } _: { fixture async throws in
      let session = URLSession(configuration: fixture.configuration)
      let error = await session.failure(of: fixture.url)
      #expect(
        error?.code == trouble.code && error?.localizedDescription.contains(trouble.text) == true, "\(error?.localizedDescription ?? "")")
      #expect(fixture.site.requests.isEmpty && fixture.asked.count < 80)
      session.invalidateAndCancel()
    }
  }

  @Test func silentServersAreGivenTenSeconds() async throws {
    try await DNSFixture.with { _, _ in
      .reply(Reply(body: .text("x"), faults: [.stallAfter(bodyBytes: 0)]))
    } _: { fixture async throws in
      let session = URLSession(configuration: fixture.configuration)
      async let error = session.failure(of: fixture.url)
      _ = try await fixture.dns.waitForRequest(2)
      // Where the answer's head comes after the clock has been moved, its time begins anew.
      let time = Task {
        while !Task.isCancelled {
          try await fixture.clock.waitForWake(within: 11)
          fixture.clock.advance(by: 11)
        }
      }
      #expect(await error?.code == .dnsLookupFailed)
      time.cancel()
      session.invalidateAndCancel()
    }
  }

  @Test func loadsAreCancelledWhileTheServerIsSilent() async throws {
    try await DNSFixture.with { _, _ in
      .reply(Reply(body: .text("x"), faults: [.stallAfter(bodyBytes: 0)]))
    } _: { fixture async throws in
      let session = URLSession(configuration: fixture.configuration)
      let url = fixture.url
      let load = Task { await session.failure(of: url)?.code }
      _ = try await fixture.dns.waitForRequest(2)
      load.cancel()
      #expect(await load.value == .cancelled)
      session.invalidateAndCancel()
    }
  }

  @Test func unreachableServersAreNamed() async throws {
    try await DNSFixture.with(.tls, Self.usual) { fixture async throws in
      for (url, bootstrap) in [("https://dns.test:1/", ["127.0.0.1"]), ("http://dns.test/", ["127.0.0.1"]), ("https://dns.test/", ["no"])] {
        fixture.configuration.nameResolution = .https(try #require(URL(string: url)), bootstrap: bootstrap)
        let session = URLSession(configuration: fixture.configuration)
        let error = await session.failure(of: fixture.url)
        #expect(error?.code == .dnsLookupFailed && error?.localizedDescription.contains("dns.test") == true)
        session.invalidateAndCancel()
      }
    }
  }

  @Test func theSystemIsAskedOnlyWhereAllowed() async throws {
    try await DNSFixture.with { name, _ in
      .records([], flags: 2)
    } _: { fixture async throws in
      // A name of the machine's own table, which is no special name.
      guard
        let own = try? String(contentsOfFile: "/etc/hosts", encoding: .utf8).split(separator: "\n").lazy
          .map({ $0.split(whereSeparator: \.isWhitespace) }).first(where: { $0.count > 1 && $0[1].hasPrefix("ip6-loopback") })?[1]
      else { return }
      let url = fixture.site.url("/", host: String(own))
      let strict = URLSession(configuration: fixture.configuration)
      #expect(await strict.failure(of: url)?.code == .dnsLookupFailed)
      fixture.configuration.nameResolution = .https(fixture.server, bootstrap: ["127.0.0.1"], fallsBackToSystem: true)
      let lenient = URLSession(configuration: fixture.configuration)
      // Found, and nothing listens there.
      #expect(await lenient.failure(of: url)?.code == .cannotConnectToHost)
      strict.invalidateAndCancel()
      lenient.invalidateAndCancel()
    }
  }

  @Test(arguments: [true, false]) func validatedAnswersCountWhereTheResolverIsTrusted(_ isValidated: Bool) async throws {
    try await DNSFixture.with { _, type in
      .records(type == DNSFixture.v4 ? [DNSFixture.loopback()] : [], flags: isValidated ? 0x0020 : 0)
    } _: { fixture async throws in
      fixture.site.route("/", reply: .text("ok"))
      fixture.configuration.requiresDNSSECValidation = true
      let distrusting = URLSession(configuration: fixture.configuration)
      #expect(await distrusting.failure(of: fixture.url)?.code == .dnsLookupFailed)
      #expect(fixture.asked.isEmpty)
      fixture.configuration.nameResolution = .https(fixture.server, bootstrap: ["127.0.0.1"], trustsDNSSEC: true, fallsBackToSystem: true)
      let trusting = URLSession(configuration: fixture.configuration)
      if isValidated {
        #expect(try await trusting.text(from: fixture.url).0 == "ok")
      } else {
        let error = await trusting.failure(of: fixture.url)
        #expect(error?.code == .dnsLookupFailed && error?.localizedDescription.contains("DNSSEC") == true)
      }
      distrusting.invalidateAndCancel()
      trusting.invalidateAndCancel()
    }
  }

  @Test func localhostIsThisMachine() async throws {
    try await DNSFixture.with(.tls, Self.usual) { fixture async throws in
      let plain = try await TestServer.start(.http)
      plain.enqueue(.text("ok"))
      let session = URLSession(configuration: fixture.configuration)
      #expect(try await session.text(from: plain.url("/", host: "localhost")).0 == "ok")
      #expect(fixture.asked.isEmpty)
      session.invalidateAndCancel()
      await plain.shutdown()
    }
  }

  @Test(.enabled(if: Wire.hasHTTP3, "built without HTTP/3")) func httpsRecordsLeadToHTTP3() async throws {
    let port = PortBox()
    try await DNSFixture.with(.tls) { _, type in
      switch type {
      case DNSFixture.v4: .records([DNSFixture.loopback()])
      case DNSFixture.https: .records([DNSFixture.service(port: port.value, protocols: ["h3"], takesDefaultBack: true)])
      default: .records([])
      }
    } _: { fixture async throws in
      let authority = try TestCertificateAuthority()
      let quick = try await TestServer.start(Wire.h3.options(authority.issue(hosts: [DNSFixture.name])))
      fixture.configuration.trust(authority)
      port.value = quick.port
      fixture.site.route("/", reply: .text("TCP"))
      quick.route("/", reply: .text("QUIC"))
      let session = URLSession(configuration: fixture.configuration)
      var texts: [String] = []
      for _ in 0..<200 where texts.last != "QUIC" {
        texts.append(try await session.text(from: fixture.url).0)
        await session.barrier()
      }
      #expect(texts.last == "QUIC")
      session.invalidateAndCancel()
      await quick.shutdown()
    }
  }

  private final class PortBox: @unchecked Sendable {
    // @unchecked: written before the first load.
    var value = 0
  }
}
