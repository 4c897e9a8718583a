import Foundation
import HTTPTransport
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What single hosts demand of TLS beyond the session's settings, enforced in the handshake.
@Suite(.timeLimit(.minutes(10))) struct TLSPolicyTests {
  private let authority: TestCertificateAuthority

  init() throws { authority = try TestCertificateAuthority() }

  private func code(
    _ certificate: TestCertificate, _ security: URLSessionAppTransportSecurity, delegate: ChallengeDelegate? = nil,
    options change: (inout TestServer.Options) -> Void = { _ in }
  ) async throws -> Int? {
    var options = TestServer.Options.https(certificate)
    change(&options)
    let configuration = URLSessionConfiguration.testing(trusting: authority)
    configuration.appTransportSecurity = security
    return try await TestServer.failureCode(options, host: "localhost", configuration, session: delegate)
  }

  private func pinning(leaves: [Data] = [], authorities: [Data] = []) throws -> URLSessionAppTransportSecurity {
    var (security, domain) = (URLSessionAppTransportSecurity(), URLSessionAppTransportSecurity.PinnedDomain())
    domain.leafIdentities = Set(try leaves.map { try #require(CertificateParts.pin(of: $0)) })
    domain.caIdentities = Set(try authorities.map { try #require(CertificateParts.pin(of: $0)) })
    security.pinnedDomains["localhost"] = domain
    return security
  }

  private var listed: URLSessionAppTransportSecurity {
    var security = URLSessionAppTransportSecurity()
    security.exceptionDomains["localhost"] = URLSessionAppTransportSecurity.ExceptionDomain()
    return security
  }

  @Test func pinnedKeysMustBeInTheChain() async throws {
    let intermediate = try authority.makeIntermediate()
    let own = try intermediate.issue()
    let untrusted = URLError.serverCertificateUntrusted.rawValue
    #expect(try await code(own, pinning(leaves: [own.der])) == nil)
    #expect(try await code(own, pinning(authorities: [intermediate.der])) == nil)
    #expect(try await code(own, pinning(authorities: [authority.der])) == nil)
    #expect(try await code(own, pinning(leaves: [own.der], authorities: [authority.der])) == nil)
    #expect(try await code(authority.issue(), pinning(leaves: [own.der])) == untrusted)
    #expect(try await code(authority.issue(), pinning(authorities: [intermediate.der])) == untrusted)
    #expect(try await code(own, pinning(leaves: [own.der], authorities: [TestCertificate.selfSigned().der])) == untrusted)
    #expect(try await code(own, pinning(authorities: [own.der])) == untrusted)
    // Asked or not: default handling includes the pins.
    #expect(
      try await code(authority.issue(), pinning(leaves: [own.der]), delegate: ChallengeDelegate(.performDefaultHandling)) == untrusted)
  }

  @Test func protectedHostCannotBeOverridden() async throws {
    let strange = try TestCertificate.selfSigned()
    #expect(try await code(strange, URLSessionAppTransportSecurity(), delegate: .accepting) == nil)
    #expect(try await code(strange, listed, delegate: .accepting) == URLError.serverCertificateUntrusted.rawValue)
    #expect(try await code(authority.issue(), listed, delegate: .accepting) == nil)
    #expect(
      try await code(authority.issue(), listed, delegate: ChallengeDelegate(.cancelAuthenticationChallenge)) == URLError.cancelled.rawValue)
  }

  @Test(.enabled(if: OpenSSLAuthority.program != nil, "the openssl program isn't installed"))
  func forwardSecrecyIsDemanded() async throws {
    let ancient = try OpenSSLAuthority()
    let certificate = try ancient.issue(bits: 2048, digest: "sha256")
    let plainExchange: (inout TestServer.Options) -> Void = {
      $0.maximumTLSVersion = .tls12
      $0.cipherSuites = "AES128-GCM-SHA256"
    }
    let delegate = ChallengeDelegate.accepting
    #expect(try await code(certificate, URLSessionAppTransportSecurity(), delegate: delegate, options: plainExchange) == nil)
    #expect(
      try await code(certificate, listed, delegate: delegate, options: plainExchange) == URLError.secureConnectionFailed.rawValue)
  }
}
