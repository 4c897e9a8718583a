import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// The client hello is encrypted by the keys of HTTPS records (ECH, RFC 9849), over each version of HTTP.
@Suite(.timeLimit(.minutes(10))) struct EncryptedHelloTests {
  private typealias Use = URLSessionTaskTransactionMetrics.EncryptedClientHello

  private static let publicName = "public.test"

  /// What tests put into the DNS before their first load.
  private final class Records: @unchecked Sendable {
    // @unchecked: written before the first load.
    var list: Data?
    /// The port that the record leads to; nil for the site's.
    var port: Int?
    /// Whether the record can also be used over TCP.
    var isForTCP = true
    /// Holds the answers for the site's own addresses: a connection to a place of the record comes first. And those for the record.
    let addresses = Gate()
    let bindings = Gate(isOpen: true)
  }

  /// Runs `body` with a site whose HTTPS record has the keys of `records`.
  ///
  /// The record leads to another name, whose addresses are known at once.
  private func serve(
    _ wire: Wire = .tls, _ encryption: TestServer.EncryptedHello? = nil, isPublic: Bool = true,
    adjust: @escaping (inout TestServer.Options) -> Void = { _ in }, _ body: (DNSFixture, Records) async throws -> Void
  ) async throws {
    let records = Records()
    if wire == .h3 { records.addresses.open() }
    let ports = PortBox()
    try await DNSFixture.with(
      wire, hosts: isPublic ? [Self.publicName] : [],
      adjust: DNSFixture.Adjustment { options in
        options.encryptedHello = encryption
        adjust(&options)
      },
      { name, type in
        let isOwn = name == DNSFixture.name || name.hasSuffix("._https." + DNSFixture.name)
        switch type {
        case DNSFixture.https where isOwn: return .held(Self.services(wire, records, ports.port), records.bindings)
        case DNSFixture.https: return .records([])
        case DNSFixture.v4: return isOwn ? .held([DNSFixture.loopback()], records.addresses) : .records([DNSFixture.loopback()])
        default: return isOwn ? .held([], records.addresses) : .records([])
        }
      }
    ) { fixture async throws in
      ports.port = fixture.site.port
      fixture.site.route("/*", reply: .text("site"))
      try await body(fixture, records)
      records.addresses.open()
      records.bindings.open()
    }
  }

  private final class PortBox: @unchecked Sendable {
    // @unchecked: written before the first load.
    var port = 0
  }

  private static func services(_ wire: Wire, _ records: Records, _ port: Int) -> [[UInt8]] {
    guard let list = records.list else { return [] }
    return [
      DNSFixture.service(
        1, "svc.test", port: records.port ?? port, protocols: wire == .h3 ? ["h3"] : records.isForTCP ? ["h2"] : ["foo"],
        takesDefaultBack: !records.isForTCP, others: [5: Array(list)])
    ]
  }

  /// What became of the client hello of a load that succeeds. HTTP/3 alone is begun before the DNS has answered: then there is another load.
  private func outcome(
    _ fixture: DNSFixture, _ session: URLSession, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Use?, URLSessionTaskTransactionMetrics?) {
    for _ in 0..<200 {
      let recorder = DelegateRecorder()
      let data = try await session.data(for: URLRequest(url: fixture.url), delegate: recorder).0
      #expect(String(decoding: data, as: UTF8.self) == "site")
      let metrics = recorder.metrics?.transactionMetrics.last
      if metrics?.encryptedClientHello != .greased || fixture.configuration.httpVersions != .http3Only {
        return (metrics?.encryptedClientHello, metrics)
      }
      await session.barrier()
    }
    return (nil, nil)
  }

  /// The error that a load ends with, and what became of its client hello; nil if none fails.
  private func failure(_ fixture: DNSFixture, _ session: URLSession) async -> (URLError, Use?)? {
    for _ in 0..<200 {
      let recorder = DelegateRecorder()
      do {
        _ = try await session.data(for: URLRequest(url: fixture.url), delegate: recorder)
        if fixture.configuration.httpVersions != .http3Only { return nil }
        await session.barrier()
      } catch {
        return (error as? URLError).map { ($0, recorder.metrics?.transactionMetrics.last?.encryptedClientHello) }
      }
    }
    return nil
  }

  private func encryption(changesKeys: Bool = false) throws -> TestServer.EncryptedHello {
    var encryption = try TestServer.EncryptedHello(publicName: Self.publicName)
    encryption.changesKeys = changesKeys
    return encryption
  }

  /// Keys that the server doesn't have.
  private func stale() throws -> Data { try TestServer.EncryptedHelloKeys(publicName: Self.publicName, identifier: 9).list }

  // MARK: accepted

  @Test(arguments: Wire.secure) func keysOfTheRecordAreUsed(_ wire: Wire) async throws {
    let encryption = try encryption()
    try await serve(wire, encryption) { fixture, records async throws in
      records.list = encryption.keys.list
      let session = URLSession(configuration: fixture.configuration)
      let (use, metrics) = try await outcome(fixture, session)
      #expect(use == .accepted)
      #expect(metrics?.networkProtocolName == wire.protocolName)
      #expect(metrics?.negotiatedTLSKeyExchangeGroup == .x25519MLKEM768)
      // The pool knows no difference.
      let before = fixture.site.acceptedConnections
      let (again, reused) = try await self.outcome(fixture, session)
      #expect(again == .accepted && reused?.isReusedConnection == true)
      #expect(fixture.site.acceptedConnections == before)
      session.invalidateAndCancel()
    }
  }

  @Test func webSocketsUseThemToo() async throws {
    let encryption = try encryption()
    try await serve(.tls, encryption) { fixture, records async throws in
      records.list = encryption.keys.list
      fixture.site.route("/echo", .GET, reply: .webSocket(WebSocketService(.echo)))
      // Without keys there would be no connection.
      fixture.configuration.encryptedClientHello = .required
      let session = URLSession(configuration: fixture.configuration)
      let task = session.webSocketTask(with: try #require(URL(string: "wss://\(DNSFixture.name):\(fixture.site.port)/echo")))
      task.resume()
      try await task.send(.string("a"))
      if case .string(let text) = try await task.receive() { #expect(text == "a") } else { Issue.record("another message") }
      task.cancel()
      session.invalidateAndCancel()
    }
  }

  @Test func sessionsAreResumed() async throws {
    let encryption = try encryption()
    try await serve(.tls, encryption) { fixture, records async throws in
      records.list = encryption.keys.list
      fixture.site.route("/*", reply: Reply(headers: ["Connection": "close"], body: .text("site")))
      let session = URLSession(configuration: fixture.configuration)
      #expect(try await outcome(fixture, session).0 == .accepted)
      let (use, metrics) = try await outcome(fixture, session)
      #expect(use == .accepted && metrics?.isTLSResumed == true)
      session.invalidateAndCancel()
    }
  }

  // MARK: rejected

  @Test(arguments: Wire.secure) func keysThatTheServerSendsAreUsedOnAnotherConnection(_ wire: Wire) async throws {
    try await serve(wire, encryption()) { fixture, records async throws in
      records.list = try stale()
      let session = URLSession(configuration: fixture.configuration)
      #expect(try await outcome(fixture, session).0 == .acceptedOnRetry)
      if wire != .h3 { #expect(fixture.site.acceptedConnections == 2) }
      #expect(try await outcome(fixture, session).0 == .acceptedOnRetry)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.secure) func serverWithoutKeysIsConnectedToInTheClear(_ wire: Wire) async throws {
    try await serve(wire) { fixture, records async throws in
      records.list = try stale()
      let session = URLSession(configuration: fixture.configuration)
      #expect(try await outcome(fixture, session).0 == .refused)
      session.invalidateAndCancel()
    }
  }

  /// It can't decrypt anything, and can't say so but by its certificate.
  @Test func serverOfTLS12IsConnectedToInTheClear() async throws {
    try await serve(adjust: { $0.maximumTLSVersion = .tls12 }) { fixture, records async throws in
      records.list = try stale()
      let session = URLSession(configuration: fixture.configuration)
      #expect(try await outcome(fixture, session).0 == .refused)
      #expect(fixture.site.acceptedConnections == 2)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.secure) func secondRejectionIsAnError(_ wire: Wire) async throws {
    try await serve(wire, encryption(changesKeys: true)) { fixture, records async throws in
      records.list = try stale()
      let session = URLSession(configuration: fixture.configuration)
      let (error, use) = try #require(await failure(fixture, session))
      #expect(error.code == .secureConnectionFailed && use == .rejected)
      #expect(error.localizedDescription.contains("twice") && error.localizedDescription.contains(Self.publicName))
      if wire != .h3 {
        #expect(fixture.site.acceptedConnections == 2)
        #expect(fixture.site.requests.isEmpty)
      }
      session.invalidateAndCancel()
    }
  }

  /// RFC 9849, 6.1.7: who can't prove the public name can neither send keys nor say that there are none.
  @Test(arguments: Wire.secure, [true, false]) func publicNameHasToBeProved(_ wire: Wire, _ hasKeys: Bool) async throws {
    try await serve(wire, hasKeys ? encryption() : nil, isPublic: false) { fixture, records async throws in
      records.list = try stale()
      let delegate = ChallengeDelegate.accepting
      let session = URLSession(configuration: fixture.configuration, delegate: wire == .h3 ? nil : delegate, delegateQueue: nil)
      let (error, use) = try #require(await failure(fixture, session))
      #expect(error.code == .secureConnectionFailed && use == .rejected)
      #expect(error.localizedDescription.contains(Self.publicName))
      #expect(delegate.asked.isEmpty)
      if wire != .h3 { #expect(fixture.site.requests.isEmpty && fixture.site.acceptedConnections == 1) }
      session.invalidateAndCancel()
    }
  }

  // MARK: delegates

  @Test(arguments: Wire.secure) func delegateIsAskedAboutTheOriginAlone(_ wire: Wire) async throws {
    try await serve(wire, encryption()) { fixture, records async throws in
      records.list = try stale()
      let delegate = ChallengeDelegate.accepting
      let session = URLSession(configuration: fixture.configuration)
      var use: Use?
      for _ in 0..<200 where use != .acceptedOnRetry {
        let data = try await session.data(for: URLRequest(url: fixture.url), delegate: delegate).0
        #expect(String(decoding: data, as: UTF8.self) == "site")
        // Over HTTP/3 alone the first may be too early for the record.
        use = wire == .h3 ? try await self.outcome(fixture, session).0 : .acceptedOnRetry
        await session.barrier()
      }
      #expect(!delegate.asked.isEmpty && delegate.asked.allSatisfy { $0.host == DNSFixture.name && $0.port == fixture.site.port })
      if wire != .h3 { #expect(delegate.asked.count == 1 && fixture.site.acceptedConnections == 2) }
      session.invalidateAndCancel()
    }
  }

  /// The second handshake waits for the app when the load is cancelled.
  @Test func loadIsCancelledInTheMiddleOfTheRetry() async throws {
    try await serve(.tls, encryption()) { fixture, records async throws in
      records.list = try stale()
      let delegate = ChallengeDelegate { _ in nil }
      let session = URLSession(configuration: fixture.configuration)
      let url = fixture.url
      let load = Task { await session.failure(of: URLRequest(url: url), delegate: delegate)?.code }
      await delegate.wasAsked.wait()
      #expect(fixture.site.acceptedConnections == 2)
      load.cancel()
      #expect(await load.value == .cancelled)
      delegate.release(.performDefaultHandling)
      // What was begun doesn't keep others from loading.
      #expect(try await outcome(fixture, session).0 == .acceptedOnRetry)
      session.invalidateAndCancel()
    }
  }

  /// A client certificate is the origin's business: a server that decrypts nothing is given none.
  @Test func clientCertificateIsGivenToTheOriginAlone() async throws {
    let authority = try TestCertificateAuthority()
    try await serve(.tls, encryption(), adjust: { $0.clientCertificates = .optional(authority) }) { fixture, records async throws in
      records.list = try stale()
      let delegate = ChallengeDelegate { _ in (.performDefaultHandling, nil) }
      let session = URLSession(configuration: fixture.configuration)
      _ = try await session.data(for: URLRequest(url: fixture.url), delegate: delegate)
      let asked = delegate.asked.filter { $0.authenticationMethod == NSURLAuthenticationMethodClientCertificate }
      #expect(asked.count == 1 && fixture.site.acceptedConnections == 2)
      session.invalidateAndCancel()
    }
  }

  // MARK: early data

  /// Requests in the first flight go with an encrypted hello; where that is rejected they are sent again, once the server has been found out.
  @Test(.enabled(if: Wire.hasHTTP3, "built without HTTP/3"), arguments: [true, false])
  func earlyDataGoesWithIt(_ isCurrent: Bool) async throws {
    let encryption = try encryption()
    try await serve(.h3, encryption, adjust: { $0.http3.earlyData = .accepted }) { fixture, records async throws in
      records.list = isCurrent ? encryption.keys.list : try stale()
      fixture.configuration.enablesEarlyData = true
      fixture.site.route("/bye", reply: .text("site").with(.goAway(isProcessed: true)))
      let expected = isCurrent ? Use.accepted : .acceptedOnRetry
      let session = URLSession(configuration: fixture.configuration)
      #expect(try await outcome(fixture, session).0 == expected)
      // It leaves a ticket; the next connection is another.
      #expect(try await session.text(from: fixture.site.url("/bye", host: DNSFixture.name)).0 == "site")
      let requests = fixture.site.requests.count
      #expect(try await session.text(from: fixture.url).0 == "site")
      #expect(fixture.site.requests.count == requests + 1)
      #expect(try await outcome(fixture, session).0 == expected)
      session.invalidateAndCancel()
    }
  }

  // MARK: without keys

  @Test(arguments: Wire.secure) func helloLooksEncryptedWithoutKeys(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/", reply: .text("site"))
      for (setting, expected) in [(URLSessionConfiguration.EncryptedClientHello.automatic, Use.greased), (.off, .unused)] {
        configuration.encryptedClientHello = setting
        let session = URLSession(configuration: configuration)
        let recorder = DelegateRecorder()
        _ = try await session.data(for: URLRequest(url: server.url()), delegate: recorder)
        #expect(recorder.metrics?.transactionMetrics.last?.encryptedClientHello == expected)
        session.invalidateAndCancel()
      }
    }
  }

  /// Those of no use count as none.
  @Test(arguments: [[], [1, 2], [0, 4, 0xFE, 0x0C, 0, 0], [0, 8, 0xFE, 0x0D, 0, 4, 1, 0, 32, 0]] as [[UInt8]])
  func brokenListsAreNone(_ list: [UInt8]) async throws {
    try await serve { fixture, records async throws in
      records.list = Data(list)
      let session = URLSession(configuration: fixture.configuration)
      #expect(try await outcome(fixture, session).0 == .greased)
      session.invalidateAndCancel()
    }
  }

  @Test func keysAreNotUsedWhereTheConfigurationSaysSo() async throws {
    let encryption = try encryption()
    try await serve(.tls, encryption) { fixture, records async throws in
      records.list = encryption.keys.list
      fixture.configuration.encryptedClientHello = .off
      let session = URLSession(configuration: fixture.configuration)
      #expect(try await outcome(fixture, session).0 == .unused)
      session.invalidateAndCancel()
    }
  }

  /// A proxy is told the name, and looks it up.
  @Test func nothingIsEncryptedThroughAProxy() async throws {
    let encryption = try encryption()
    try await serve(.tls, encryption) { fixture, records async throws in
      records.list = encryption.keys.list
      var options = TestProxy.Options()
      options.names = [DNSFixture.name]
      try await TestProxy.with(options) { proxy async throws in
        fixture.configuration.use(proxy.port)
        let session = URLSession(configuration: fixture.configuration)
        #expect(try await outcome(fixture, session).0 == .greased)
        session.invalidateAndCancel()
        fixture.configuration.encryptedClientHello = .required
        let strict = URLSession(configuration: fixture.configuration)
        #expect(await strict.failure(of: fixture.url)?.code == .secureConnectionFailed)
        strict.invalidateAndCancel()
      }
    }
  }

  // MARK: what is in the clear

  /// What a server that answers nothing receives: with keys the name of the site is nowhere in it.
  @Test(arguments: [true, false]) func nameIsInTheClearWithoutKeysAlone(_ hasKeys: Bool) async throws {
    try await serve { fixture, records async throws in
      let raw = try await TestServer.start(.rawInTurn([[.readToEnd]]))
      records.list = hasKeys ? try stale() : Data([0])
      records.port = raw.port
      let session = URLSession(configuration: fixture.configuration)
      let url = fixture.url
      let load = Task { try? await session.data(from: url) }
      // One record, whose length is in its head.
      let head = try await raw.waitForBytes(5)
      let bytes = try await raw.waitForBytes(5 + (Int(head[3]) << 8 | Int(head[4])))
      #expect((bytes.range(of: Data(DNSFixture.name.utf8)) == nil) == hasKeys)
      #expect((bytes.range(of: Data(Self.publicName.utf8)) != nil) == hasKeys)
      // The extension's number (RFC 9849, 11.1), with keys and without.
      #expect(bytes.range(of: Data([0xFE, 0x0D])) != nil)
      records.addresses.open()
      raw.breakConnections()
      _ = await load.value
      // RFC 9848, 5.1: the name isn't sent elsewhere where all records have keys.
      #expect(fixture.site.requests.isEmpty == hasKeys)
      session.invalidateAndCancel()
      await raw.shutdown()
    }
  }

  /// Records with keys, none of which TCP can follow: the origin's own place would be told the name.
  @Test func nothingIsSentElsewhereWhereNoRecordFits() async throws {
    let encryption = try encryption()
    try await serve(.tls, encryption) { fixture, records async throws in
      records.list = encryption.keys.list
      records.isForTCP = false
      let session = URLSession(configuration: fixture.configuration)
      #expect(await session.failure(of: fixture.url)?.code == .cannotConnectToHost)
      #expect(fixture.site.acceptedConnections == 0)
      session.invalidateAndCancel()
    }
  }

  // MARK: required

  @Test func requiredKeysAreWaitedFor() async throws {
    let encryption = try encryption()
    try await serve(.tls, encryption) { fixture, records async throws in
      records.list = encryption.keys.list
      records.addresses.open()
      records.bindings.close()
      fixture.configuration.encryptedClientHello = .required
      let session = URLSession(configuration: fixture.configuration)
      let load = Task { try await outcome(fixture, session).0 }
      try await records.bindings.reached()
      records.bindings.open()
      #expect(try await load.value == .accepted)
      session.invalidateAndCancel()
    }
  }

  @Test func requiredKeysThatThereAreNotEndTheLoad() async throws {
    try await serve { fixture, records async throws in
      records.addresses.open()
      fixture.configuration.encryptedClientHello = .required
      let session = URLSession(configuration: fixture.configuration)
      let error = await session.failure(of: fixture.url)
      #expect(error?.code == .secureConnectionFailed)
      #expect(error?.localizedDescription.contains("encryptedClientHello") == true)
      #expect(fixture.site.requests.isEmpty)
      session.invalidateAndCancel()
    }
    try await serve { fixture, records async throws in
      records.list = try stale()
      fixture.configuration.encryptedClientHello = .required
      let session = URLSession(configuration: fixture.configuration)
      // The server decrypts nothing.
      let error = await session.failure(of: fixture.url)
      #expect(error?.code == .secureConnectionFailed)
      #expect(fixture.site.acceptedConnections == 1 && fixture.site.requests.isEmpty)
      session.invalidateAndCancel()
    }
  }
}
