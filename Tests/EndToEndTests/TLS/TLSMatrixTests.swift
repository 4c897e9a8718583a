import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Servers that do one thing wrong, or differently: each has its error, and those whose fault is the certificate load if the app accepts it.
@Suite(.timeLimit(.minutes(10))) struct TLSMatrixTests {
  private enum Fault {
    static let badDate = URLError.serverCertificateHasBadDate.rawValue
    static let untrusted = URLError.serverCertificateUntrusted.rawValue
    static let unknownRoot = URLError.serverCertificateHasUnknownRoot.rawValue
    static let notYetValid = URLError.serverCertificateNotYetValid.rawValue
    static let noConnection = URLError.secureConnectionFailed.rawValue
  }

  private let authority: TestCertificateAuthority

  init() throws { authority = try TestCertificateAuthority() }

  private func code(
    _ options: TestServer.Options, trusting roots: [Data]? = nil, host: String = "127.0.0.1", delegate: ChallengeDelegate? = nil
  ) async throws -> Int? {
    try await TestServer.with(options) { server async throws in
      server.route("/", reply: .text("secret"))
      let configuration = URLSessionConfiguration.testing()
      configuration.trustedRootsPEM = roots ?? [authority.pem]
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      defer { session.invalidateAndCancel() }
      let url = try #require(URL(string: "https://\(host):\(server.port)/"))
      return await errorCode {
        let (data, _) = try await session.data(from: url)
        #expect(data == Data("secret".utf8))
      }
    }
  }

  /// Checks the code with which the certificate is refused, nil if it isn't, and that it loads when the app accepts it.
  private func check(
    _ certificate: TestCertificate, host: String = "127.0.0.1", roots: [Data]? = nil, _ expected: Int?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let options = TestServer.Options.https(certificate)
    let plain = try await code(options, trusting: roots, host: host)
    #expect(plain == expected, "unasked", sourceLocation: sourceLocation)
    let asked = try await code(options, trusting: roots, host: host, delegate: ChallengeDelegate(.performDefaultHandling))
    #expect(asked == expected, "asked", sourceLocation: sourceLocation)
    let overridden = try await code(options, trusting: roots, host: host, delegate: .accepting)
    #expect(overridden == nil, "overridden", sourceLocation: sourceLocation)
  }

  private func issue(_ change: (inout TestCertificateTraits) -> Void) throws -> TestCertificate {
    var traits = TestCertificateTraits()
    change(&traits)
    return try authority.issue(traits)
  }

  private func intermediate(_ change: (inout TestAuthorityTraits) -> Void) throws -> TestCertificateAuthority {
    var traits = TestAuthorityTraits()
    change(&traits)
    return try authority.makeIntermediate(traits)
  }

  @Test func datesAreChecked() async throws {
    try await check(authority.issueExpired(), Fault.badDate)
    try await check(authority.issueNotYetValid(), Fault.notYetValid)
    let past = Date(timeIntervalSinceNow: -3600)
    try await check(intermediate { $0.notAfter = past }.issue(), Fault.badDate)
  }

  @Test func namesAreChecked() async throws {
    try await check(authority.issue(hosts: ["wrong.example"]), Fault.untrusted)
    try await check(authority.issue(hosts: ["localhost"]), Fault.untrusted)
    try await check(authority.issue(hosts: ["localhost"]), host: "localhost", nil)
    try await check(authority.issue(hosts: ["LOCALHOST"]), host: "localhost", nil)
    try await check(authority.issue(hosts: ["127.0.0.1"]), nil)
    try await check(authority.issue(hosts: ["127.0.0.1"]), host: "localhost", Fault.untrusted)
    try await check(authority.issue(hosts: ["127.0.0.2"]), Fault.untrusted)
    try await check(issue { ($0.commonName, $0.hosts) = ("localhost", []) }, host: "localhost", Fault.untrusted)
    try await check(issue { ($0.commonName, $0.hosts) = ("127.0.0.1", []) }, Fault.untrusted)
  }

  @Test func chainsAreChecked() async throws {
    let stranger = try TestCertificateAuthority(name: "Stranger")
    try await check(TestCertificate.selfSigned(), Fault.untrusted)
    try await check(stranger.issue(), Fault.unknownRoot)
    try await check(authority.makeIntermediate().issue(), nil)
    try await check(authority.makeIntermediate().issue().withoutIntermediates, Fault.unknownRoot)
    let deep = try authority.makeIntermediate(name: "One").makeIntermediate(name: "Two").makeIntermediate(name: "Three").issue()
    try await check(deep.withMisorderedIntermediates, nil)
  }

  @Test func authoritiesStayWithinTheirRights() async throws {
    try await check(intermediate { $0.isAuthority = false }.issue(), Fault.untrusted)
    let short = try intermediate { $0.maximumPathLength = 0 }
    try await check(short.issue(), nil)
    try await check(short.makeIntermediate(name: "Below").issue(), Fault.untrusted)
    let narrow = try intermediate { $0.permittedDomains = ["example.org"] }
    try await check(narrow.issue(hosts: ["localhost"]), host: "localhost", Fault.untrusted)
    let fitting = try intermediate { $0.permittedDomains = ["localhost"] }
    try await check(fitting.issue(hosts: ["localhost"]), host: "localhost", nil)
  }

  @Test func usageIsChecked() async throws {
    try await check(issue { $0.usage = .client }, Fault.untrusted)
    try await check(issue { $0.usage = .unlimited }, nil)
  }

  @Test(.enabled(if: OpenSSLAuthority.program != nil, "the openssl program isn't installed"))
  func weakKeysAndSignaturesAreRefused() async throws {
    let ancient = try OpenSSLAuthority()
    for (bits, digest, expected) in [
      (2048, "sha256", nil), (1024, "sha256", Fault.untrusted), (2048, "sha1", Fault.untrusted), (2048, "md5", Fault.untrusted),
    ] {
      try await check(ancient.issue(bits: bits, digest: digest), roots: [ancient.pem], expected)
    }
  }

  /// The server's certificate is for 127.0.0.1 and for localhost.
  @Test(
    .enabled(if: OpenSSLAuthority.program != nil, "the openssl program isn't installed"),
    arguments: [
      ("permitted;IP:127.0.0.0/255.0.0.0", nil), ("permitted;IP:10.0.0.0/255.0.0.0", Fault.untrusted),
      ("permitted;IP:10.0.0.0/255.0.0.0,permitted;IP:127.0.0.1/255.255.255.255", nil), ("excluded;IP:127.0.0.0/255.0.0.0", Fault.untrusted),
      ("excluded;IP:10.0.0.0/255.0.0.0", nil), ("permitted;IP:127.0.0.0/255.0.0.0,permitted;DNS:localhost", nil),
      ("permitted;IP:127.0.0.0/255.0.0.0,permitted;DNS:example.com", Fault.untrusted),
      ("permitted;IP:127.0.0.0/255.0.0.0,excluded;DNS:localhost", Fault.untrusted), ("permitted;DNS:localhost", nil),
      ("excluded;IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0", nil), ("permitted;IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0", Fault.untrusted),
    ] as [(String, Int?)])
  func authoritiesAreHeldToTheAddressesTheyMayCertify(_ constraints: String, _ expected: Int?) async throws {
    let constrained = try OpenSSLAuthority(constraints: constraints)
    try await check(constrained.issue(), roots: [constrained.pem], expected)
  }

  @Test func oldVersionsAreRefused() async throws {
    for (oldest, newest, expected) in [
      (TestServer.TLSVersion.tls10, TestServer.TLSVersion.tls10, Fault.noConnection), (.tls10, .tls11, Fault.noConnection),
      (.tls12, .tls12, nil), (.tls13, .tls13, nil),
    ] {
      var options = TestServer.Options.https(try authority.issue())
      options.minimumTLSVersion = oldest
      options.maximumTLSVersion = newest
      #expect(try await code(options) == expected)
      #expect(try await code(options, delegate: .accepting) == expected)
    }
  }

  @Test func disagreementsEndTheHandshake() async throws {
    var unfit = TestServer.Options.https(try authority.issue())
    unfit.maximumTLSVersion = .tls12
    // The key exchange of these needs an RSA certificate, and the server's is ECDSA.
    unfit.cipherSuites = "AES128-SHA"
    #expect(try await code(unfit) == Fault.noConnection)
    var stubborn = TestServer.Options.https(try authority.issue())
    stubborn.applicationProtocols = ["foo/1"]
    let answer = try await code(stubborn)
    #expect(answer == nil || answer == Fault.noConnection, "a server may ignore ALPN or refuse")
  }

  /// Bytes that a server answers a ClientHello with, for which no library is needed.
  @Test(arguments: [
    Data([21, 3, 1, 0, 2, 2, 40]), Data([21, 3, 1, 0, 2, 2, 112]), Data([21, 3, 3, 0, 2, 2, 80]),
    Data("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
    Data(repeating: 0xA5, count: 300), Data(),
  ])
  func serversThatDoNotShakeHandsFail(_ bytes: Data) async throws {
    for judge in [nil, ChallengeDelegate.accepting] {
      try await TestServer.with(.raw([.read(count: 5), .send(bytes), .close])) { server async throws in
        let session = URLSession(configuration: .testing(), delegate: judge, delegateQueue: nil)
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        #expect(await errorCode { _ = try await session.data(from: url) } == Fault.noConnection)
        session.invalidateAndCancel()
      }
    }
  }
}
