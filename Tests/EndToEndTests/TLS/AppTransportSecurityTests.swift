import Foundation
import HTTPTransport
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// App Transport Security as an app sees it. Servers of the tests are local and so outside of it, unless they are listed.
@Suite(.timeLimit(.minutes(10))) struct AppTransportSecurityTests {
  /// Settings in which "localhost" is listed.
  private func listing(_ change: (inout URLSessionAppTransportSecurity.ExceptionDomain) -> Void = { _ in })
    -> URLSessionAppTransportSecurity
  {
    var (settings, entry) = (URLSessionAppTransportSecurity(), URLSessionAppTransportSecurity.ExceptionDomain())
    change(&entry)
    settings.exceptionDomains["localhost"] = entry
    return settings
  }

  private func session(_ configuration: URLSessionConfiguration, _ settings: URLSessionAppTransportSecurity?) -> URLSession {
    configuration.appTransportSecurity = settings
    return URLSession(configuration: configuration)
  }

  @Test func httpToAPublicHostIsRefusedAndTheErrorSaysWhatWouldAllowIt() async throws {
    let session = session(.testing(), URLSessionAppTransportSecurity())
    for text in ["http://www.example.com/path", "http://93.184.216.34/"] {
      let url = try #require(URL(string: text))
      let error = try #require(await session.failure(of: url))
      #expect(error.code == .appTransportSecurityRequiresSecureConnection)
      #expect(error.errorCode == -1022)
      #expect(error.failingURL == url)
      #expect(error.localizedDescription.contains("NSExceptionAllowsInsecureHTTPLoads"))
      #expect(error.localizedDescription.contains(try #require(url.host())))
    }
    session.invalidateAndCancel()
  }

  @Test(arguments: ["127.0.0.1", "localhost"]) func localHostsAreOutsideOfIt(host: String) async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/", reply: .text("hello"))
      let session = session(configuration, URLSessionAppTransportSecurity())
      #expect(try await session.text(from: server.url("/", host: host)).0 == "hello")
      session.invalidateAndCancel()
    }
  }

  @Test func listedDomainIsProtectedUnlessItsEntryAllowsHTTP() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      server.route("/", reply: .text("hello"))
      let url = server.url("/", host: "localhost")
      var lifted = listing()
      lifted.allowsArbitraryLoads = true
      for settings in [listing(), lifted] {
        let wary = session(configuration, settings)
        #expect(await wary.failure(of: url)?.code == .appTransportSecurityRequiresSecureConnection)
        wary.invalidateAndCancel()
      }
      #expect(server.acceptedConnections == 0)
      let open = session(configuration, listing { $0.allowsInsecureHTTPLoads = true })
      #expect(try await open.text(from: url).0 == "hello")
      open.invalidateAndCancel()
      let unbound = session(configuration, nil)
      #expect(try await unbound.text(from: url).0 == "hello")
      unbound.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func redirectToHTTPIsRefused(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.redirect(to: "http://www.example.com/next"))
      let recorder = DelegateRecorder()
      configuration.appTransportSecurity = URLSessionAppTransportSecurity()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let error = try #require(await session.failure(of: server.url()))
      #expect(error.code == .appTransportSecurityRequiresSecureConnection)
      #expect(error.failingURL?.absoluteString == "http://www.example.com/next")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.secure) func hostKnownToRequireTLSIsUpgradedBeforeItIsJudged(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/", reply: Reply(headers: ["Strict-Transport-Security": "max-age=60"], body: .text("secret")))
      let session = session(configuration, listing())
      let url = try #require(URL(string: "http://localhost:\(server.port)/"))
      #expect(await session.failure(of: url)?.code == .appTransportSecurityRequiresSecureConnection)
      _ = try await session.data(from: server.url("/", host: "localhost"))
      #expect(try await session.text(from: url).0 == "secret")
      session.invalidateAndCancel()
    }
  }

  private final class Mock: URLProtocol, @unchecked Sendable {
    // @unchecked: without state of its own.
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}
    override func startLoading() {
      guard let url = request.url else { return }
      let response = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: 4, textEncodingName: nil)
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data("mock".utf8))
      client?.urlProtocolDidFinishLoading(self)
    }
  }

  @Test func protocolClassesOfTheAppAreTheirOwnAffair() async throws {
    let configuration = URLSessionConfiguration.testing()
    configuration.protocolClasses = [Mock.self]
    let session = session(configuration, URLSessionAppTransportSecurity())
    let (data, _) = try await session.data(from: try #require(URL(string: "http://www.example.com/")))
    #expect(data == Data("mock".utf8))
    session.invalidateAndCancel()
  }

  @Test func sessionKeepsWhatItWasMadeWith() async throws {
    let url = try #require(URL(string: "http://www.example.invalid/"))
    let configuration = URLSessionConfiguration.testing()
    let session = session(configuration, URLSessionAppTransportSecurity())
    configuration.appTransportSecurity = nil
    #expect(session.configuration.appTransportSecurity == URLSessionAppTransportSecurity())
    #expect(await session.failure(of: url)?.code == .appTransportSecurityRequiresSecureConnection)
    session.invalidateAndCancel()
  }

  // MARK: what is asked of TLS

  /// The error of a load from "localhost" under `settings`; nil if it succeeds.
  private func failure(
    _ options: TestServer.Options, trusting root: Data?, _ settings: URLSessionAppTransportSecurity,
    delegate: (any URLSessionDelegate)? = nil
  ) async throws -> URLError? {
    try await TestServer.with(options) { server async throws in
      server.route("/", reply: .text("secret"))
      let configuration = URLSessionConfiguration.testing()
      configuration.trustedRootsPEM = root.map { [$0] } ?? []
      configuration.appTransportSecurity = settings
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      defer { session.invalidateAndCancel() }
      do {
        _ = try await session.data(from: server.url("/", host: "localhost"))
        return nil
      } catch {
        return error as? URLError
      }
    }
  }

  @Test func versionsAreThoseOfTheEntry() async throws {
    let authority = try TestCertificateAuthority()
    var options = TestServer.Options.https(try authority.issue())
    (options.minimumTLSVersion, options.maximumTLSVersion) = (.tls10, .tls11)
    let refused = try #require(try await failure(options, trusting: authority.pem, listing()))
    #expect(refused.code == .secureConnectionFailed)
    #expect(refused.localizedDescription.contains("NSExceptionMinimumTLSVersion"))
    #expect(try await failure(options, trusting: authority.pem, listing { $0.minimumTLSVersion = .TLSv10 }) == nil)
    // Another host's entry lowers nothing for this one.
    var other = URLSessionAppTransportSecurity()
    other.exceptionDomains["old.example"] = listing { $0.minimumTLSVersion = .TLSv10 }.exceptionDomains["localhost"]
    #expect(try await failure(options, trusting: authority.pem, other)?.code == .secureConnectionFailed)
    (options.minimumTLSVersion, options.maximumTLSVersion) = (.tls12, .tls12)
    #expect(try await failure(options, trusting: authority.pem, listing()) == nil)
    let newer = listing { $0.minimumTLSVersion = .TLSv13 }
    #expect(try await failure(options, trusting: authority.pem, newer)?.code == .secureConnectionFailed)
  }

  @Test(.enabled(if: OpenSSLAuthority.program != nil, "the openssl program isn't installed"))
  func forwardSecrecyIsAskedForUnlessTheEntryLiftsIt() async throws {
    // Key exchange by RSA needs an RSA key, which the test kit's own authority doesn't make.
    let authority = try OpenSSLAuthority()
    var options = TestServer.Options.https(try authority.issue(bits: 2048, digest: "sha256"))
    options.maximumTLSVersion = .tls12
    options.cipherSuites = "AES128-SHA"
    let refused = try #require(try await failure(options, trusting: authority.pem, listing()))
    #expect(refused.code == .secureConnectionFailed)
    #expect(refused.localizedDescription.contains("NSExceptionRequiresForwardSecrecy"))
    #expect(try await failure(options, trusting: authority.pem, listing { $0.requiresForwardSecrecy = false }) == nil)
    // Where App Transport Security asks for nothing, TLS 1.2 does as it is.
    #expect(try await failure(options, trusting: authority.pem, URLSessionAppTransportSecurity()) == nil)
    options.cipherSuites = "ECDHE-RSA-AES128-GCM-SHA256:AES128-SHA"
    #expect(try await failure(options, trusting: authority.pem, listing()) == nil)
  }

  @Test func pinnedKeysAreInsistedOn() async throws {
    let authority = try TestCertificateAuthority()
    let certificate = try authority.issue()
    let leaf = try #require(CertificateParts.pin(of: certificate.der))
    let root = try #require(CertificateParts.pin(of: authority.der))
    func settings(leaf: Set<Data>, authority: Set<Data>) -> URLSessionAppTransportSecurity {
      var (settings, pins) = (URLSessionAppTransportSecurity(), URLSessionAppTransportSecurity.PinnedDomain())
      (pins.leafIdentities, pins.caIdentities) = (leaf, authority)
      settings.pinnedDomains["localhost"] = pins
      return settings
    }
    let options = TestServer.Options.https(certificate)
    for good in [
      settings(leaf: [leaf], authority: []), settings(leaf: [], authority: [root]), settings(leaf: [root, leaf], authority: [root]),
    ] {
      #expect(try await failure(options, trusting: authority.pem, good) == nil)
    }
    for bad in [settings(leaf: [root], authority: []), settings(leaf: [], authority: [leaf]), settings(leaf: [leaf], authority: [leaf])] {
      #expect(try await failure(options, trusting: authority.pem, bad)?.code == .serverCertificateUntrusted)
    }
  }

  @Test func transparencyIsNotAskedOfAuthoritiesThatTheAppHasAdded() async throws {
    let authority = try TestCertificateAuthority()
    let settings = listing { $0.requiresCertificateTransparency = true }
    #expect(try await failure(.https(authority.issue()), trusting: authority.pem, settings) == nil)
  }

  @Test func delegateCanAcceptAnUntrustedServerOnlyWhereTheEntryAllowsHTTP() async throws {
    let options = TestServer.Options.https(try TestCertificate.selfSigned())
    #expect(try await failure(options, trusting: nil, URLSessionAppTransportSecurity(), delegate: ChallengeDelegate.accepting) == nil)
    #expect(
      try await failure(options, trusting: nil, listing(), delegate: ChallengeDelegate.accepting)?.code == .serverCertificateUntrusted)
    let open = listing { $0.allowsInsecureHTTPLoads = true }
    #expect(try await failure(options, trusting: nil, open, delegate: ChallengeDelegate.accepting) == nil)
  }
}
