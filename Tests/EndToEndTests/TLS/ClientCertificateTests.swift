import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct ClientCertificateTests {
  private let authority: TestCertificateAuthority

  init() throws { authority = try TestCertificateAuthority() }

  private func options(_ version: TestServer.TLSVersion, required: Bool = true) throws -> TestServer.Options {
    var options = TestServer.Options.https(try authority.issue())
    options.clientCertificates = required ? .required(authority) : .optional(authority)
    options.minimumTLSVersion = version
    options.maximumTLSVersion = version
    return options
  }

  private func identity(_ certificate: TestCertificate) throws -> SecIdentity {
    try #require(SecIdentity(pem: certificate.chainPEM, key: certificate.privateKeyPEM))
  }

  private func code(_ server: TestServer, _ judge: ChallengeDelegate, loads: Int = 1, _ path: String = "/") async -> Int? {
    let session = URLSession(configuration: .testing(trusting: authority), delegate: judge, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    var code: Int?
    for _ in 0..<loads { code = await errorCode { _ = try await session.data(from: server.url(path)) } }
    return code
  }

  @Test(arguments: [TestServer.TLSVersion.tls12, .tls13])
  func identityIsPresentedWhenAsked(_ version: TestServer.TLSVersion) async throws {
    let identity = try identity(authority.issueClient())
    try await TestServer.with(options(version)) { server async throws in
      server.route("/", reply: .text("welcome"))
      let judge = ChallengeDelegate.presenting(identity)
      #expect(await code(server, judge) == nil)
      let space = try #require(judge.asked.last)
      #expect(space.authenticationMethod == NSURLAuthenticationMethodClientCertificate)
      #expect(space.host == "127.0.0.1" && space.port == server.port)
      #expect(judge.asked.count == 2)
    }
  }

  @Test func identityIsKeptForTheSessionAsItsPersistenceSays() async throws {
    let identity = try identity(authority.issueClient())
    try await TestServer.with(options(.tls12)) { server async throws in
      server.route("/last", reply: Reply.text("x").with(.closeAfterReply(announce: true)))
      for (persistence, questions) in [(URLCredential.Persistence.forSession, 1), (.none, 2)] {
        let judge = ChallengeDelegate.presenting(identity, persistence)
        let session = URLSession(configuration: .testing(trusting: authority), delegate: judge, delegateQueue: nil)
        for host in ["127.0.0.1", "localhost"] {
          for _ in 0..<2 { #expect(await errorCode { _ = try await session.data(from: server.url("/last", host: host)) } == nil) }
        }
        let asked = judge.asked.filter { $0.authenticationMethod == NSURLAuthenticationMethodClientCertificate }
        // No ticket carries on an identity that was given for one connection.
        #expect(asked.count == 2 * questions, "\(persistence)")
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: [TestServer.TLSVersion.tls12, .tls13])
  func missingAndRejectedCertificatesHaveTheirCodes(_ version: TestServer.TLSVersion) async throws {
    let stranger = try identity(TestCertificateAuthority(name: "Stranger").issueClient())
    let expired = try identity(authority.issueClient(notAfter: Date(timeIntervalSinceNow: -3600)))
    try await TestServer.with(options(version)) { server async throws in
      server.route("/", reply: .text("welcome"))
      #expect(await code(server, .presenting(nil)) == URLError.clientCertificateRequired.rawValue)
      #expect(await code(server, .presenting(stranger)) == URLError.clientCertificateRejected.rawValue)
      #expect(await code(server, .presenting(expired)) == URLError.clientCertificateRejected.rawValue)
      #expect(server.requestCount == 0)
    }
  }

  /// With TLS 1.3 the handshake is over for the client before the server has looked at its certificate.
  @Test(arguments: [TestServer.TLSVersion.tls12, .tls13])
  func rejectedIdentityIsAskedForAgain(_ version: TestServer.TLSVersion) async throws {
    let stranger = try identity(TestCertificateAuthority(name: "Stranger").issueClient())
    try await TestServer.with(options(version)) { server async throws in
      let judge = ChallengeDelegate.presenting(stranger)
      #expect(await code(server, judge, loads: 3) == URLError.clientCertificateRejected.rawValue)
      #expect(judge.asked.map { $0.serverTrust == nil } == [false, true, false, true, false, true])
      #expect(judge.failures == [0, 0, 0, 1, 0, 2])
      #expect(server.requestCount == 0)
    }
  }

  @Test(arguments: [TestServer.TLSVersion.tls12, .tls13])
  func identityThatIsTakenAfterARejectedOneIsKept(_ version: TestServer.TLSVersion) async throws {
    let (stranger, known) = (try identity(TestCertificateAuthority(name: "Stranger").issueClient()), try identity(authority.issueClient()))
    try await TestServer.with(options(version)) { server async throws in
      server.route("/", reply: Reply.text("welcome").with(.closeAfterReply(announce: true)))
      let offers = Mutex([known, stranger])
      let judge = ChallengeDelegate { space in
        guard space.authenticationMethod == NSURLAuthenticationMethodClientCertificate else { return (.performDefaultHandling, nil) }
        let identity = offers.withLock { $0.popLast() }
        return (.useCredential, identity.map { URLCredential(identity: $0, certificates: nil, persistence: .forSession) })
      }
      let session = URLSession(configuration: .testing(trusting: authority), delegate: judge, delegateQueue: nil)
      var codes: [Int?] = []
      for _ in 0..<3 { codes.append(await errorCode { _ = try await session.data(from: server.url("/")) }) }
      #expect(codes == [URLError.clientCertificateRejected.rawValue, nil, nil])
      let left = offers.withLock(\.count)
      #expect(left == 0)
      let questions = judge.asked.filter { $0.authenticationMethod == NSURLAuthenticationMethodClientCertificate }
      #expect(questions.count == 2)
      session.invalidateAndCancel()
    }
  }

  @Test func optionalCertificateMayBeMissing() async throws {
    try await TestServer.with(options(.tls13, required: false)) { server async throws in
      server.route("/", reply: .text("welcome"))
      let judge = ChallengeDelegate.presenting(nil)
      #expect(await code(server, judge) == nil)
      #expect(judge.asked.count == 2)
    }
  }

  @Test func cancelledQuestionCancelsTheLoad() async throws {
    try await TestServer.with(options(.tls12)) { server async throws in
      let judge = ChallengeDelegate { space in
        space.serverTrust == nil ? (.cancelAuthenticationChallenge, nil) : (.performDefaultHandling, nil)
      }
      #expect(await code(server, judge) == URLError.cancelled.rawValue)
    }
  }

  @Test func identityComesOutOfPKCS12AndOfOneFile() throws {
    let certificate = try authority.makeIntermediate().issueClient()
    let archive = try certificate.pkcs12(passphrase: "open sesame")
    let identity = try #require(SecIdentity(pkcs12: archive, passphrase: "open sesame"))
    #expect(identity.certificate.derRepresentation == certificate.der)
    #expect(identity.intermediates.count == 1)
    #expect(SecIdentity(pkcs12: archive, passphrase: "wrong") == nil)
    #expect(SecIdentity(pkcs12: Data("nonsense".utf8), passphrase: "") == nil)
    #expect(SecIdentity(pem: certificate.chainPEM + certificate.privateKeyPEM) == identity)
    #expect(SecIdentity(pem: certificate.chainPEM) == nil)
    #expect(SecIdentity(pem: Data(), key: certificate.privateKeyPEM) == nil)
  }
}
