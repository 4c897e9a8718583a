import Foundation
import FoundationNetworking
import Pinning
import Security
import Testing
import URLLoadingTestKit

/// A server can send any certificate: only those that lead from its own to an anchor may match a pin.
@Suite(.timeLimit(.minutes(10))) struct PinnedChainTests {
  private let chains = SentChains()

  /// Ways in which apps look for a pin.
  enum Reader: String, CaseIterable, Sendable {
    /// As Documentation/server-trust.md has it.
    case copiedChain
    case indexes
    /// Reads the chain without asking whether it is trusted.
    case unevaluated
    case keyHashes
    case keys
    case anchors
    case pinnedDomains
    case onlyRoot
  }

  /// The code with which a load ends that pins `root`; nil if it succeeds.
  private func code(_ reader: Reader, _ sent: String, pinning root: SentChains.NamedAuthority) async throws -> Int? {
    let options = TestServer.Options.https(try chains.server(sent))
    let (configuration, pinned) = (try chains.configuration(), try root.certificate)
    var delegate: (any URLSessionTaskDelegate)?
    switch reader {
    case .copiedChain: delegate = ChainReader(pinned) { trust in (SecTrustCopyCertificateChain(trust) as? [SecCertificate]) ?? [] }
    case .indexes: delegate = ChainReader(pinned, ChainReader.indexed)
    case .unevaluated: delegate = ChainReader(pinned, evaluates: false, ChainReader.indexed)
    case .keyHashes:
      let hashes = PublicKeyHashPinningDelegate(pins: [try #require(PublicKeyHashPinningDelegate.pin(of: pinned))])
      return try await TestServer.failureCode(options, configuration, session: hashes)
    case .keys:
      delegate = EvaluatingDelegate(evaluators: ["localhost": PublicKeyEvaluator(keys: [try #require(SecCertificateCopyKey(pinned))])])
    case .anchors: delegate = EvaluatingDelegate(evaluators: ["localhost": AnchorEvaluator(anchors: [pinned])])
    case .pinnedDomains:
      let hash = try #require(PublicKeyHashPinningDelegate.pin(of: pinned).flatMap { Data(base64Encoded: $0) })
      var (settings, pins) = (URLSessionAppTransportSecurity(), URLSessionAppTransportSecurity.PinnedDomain())
      pins.caIdentities = [hash]
      settings.pinnedDomains["localhost"] = pins
      configuration.appTransportSecurity = settings
    case .onlyRoot:
      return try await TestServer.failureCode(options, .testing(trusting: try root.authority.get()))
    }
    return try await TestServer.failureCode(options, host: "localhost", configuration, task: delegate)
  }

  @Test(arguments: Reader.allCases, SentChains.all)
  func strangeAuthorityThatTheServerSendsMatchesNoPin(_ reader: Reader, sent: String) async throws {
    #expect(try await code(reader, sent, pinning: chains.strange) != nil)
  }

  @Test(arguments: Reader.allCases, SentChains.all)
  func serversOwnAuthorityMatchesThePinWhateverElseIsSent(_ reader: Reader, sent: String) async throws {
    #expect(try await code(reader, sent, pinning: chains.own) == nil)
  }

  private func trust(_ sent: String, anchors: [SentChains.NamedAuthority]) throws -> SecTrust {
    let sentPEM = String(decoding: try chains.server(sent).chainPEM, as: UTF8.self)
    let certificates = try sentPEM.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().map { block in
      let base64 = block.components(separatedBy: "-----END").first ?? ""
      let der = try #require(Data(base64Encoded: base64, options: .ignoreUnknownCharacters))
      return try #require(SecCertificateCreateWithData(nil, der as CFData))
    }
    var made: SecTrust?
    let policy = SecPolicyCreateSSL(true, "localhost" as CFString)
    #expect(SecTrustCreateWithCertificates(certificates as CFArray, policy, &made) == errSecSuccess)
    let trust = try #require(made)
    SecTrustSetAnchorCertificates(trust, try anchors.map { try $0.certificate } as CFArray)
    return trust
  }

  @Test(arguments: SentChains.all) func chainGoesFromTheServersCertificateToTheAnchor(sent: String) throws {
    let trust = try trust(sent, anchors: [chains.own, chains.strange, chains.stranger])
    let chain = ChainReader.indexed(trust)
    #expect(chain.count == (sent.contains("I") ? 3 : 2))
    #expect(try chain.last == chains.own.certificate)
    #expect(SecTrustCopyCertificateChain(trust) as? [SecCertificate] == chain)
    #expect(SecTrustCopyKey(trust) == chain.first.flatMap(SecCertificateCopyKey))
  }

  @Test(arguments: SentChains.all) func chainThatIsNotTrustedGoesAsFarAsItIsSigned(sent: String) throws {
    let trust = try trust(sent, anchors: [chains.strange])
    #expect(!SecTrustEvaluateWithError(trust, nil))
    let chain = ChainReader.indexed(trust)
    #expect(chain.count == 1 + (sent.contains("I") ? 1 : 0) + (sent.contains("A") ? 1 : 0))
    #expect(try chain.contains(chains.own.certificate) == sent.contains("A"))
    #expect(try !chain.contains(chains.strange.certificate) && !chain.contains(chains.stranger.certificate))
    #expect(SecTrustGetCertificateCount(trust) == chain.count)
    #expect(SecTrustCopyKey(trust) == chain.first.flatMap(SecCertificateCopyKey))
    // An exception lets it pass, and verifies nothing.
    #expect(SecTrustSetExceptions(trust, SecTrustCopyExceptions(trust)))
    #expect(SecTrustEvaluateWithError(trust, nil))
    #expect(SecTrustCopyCertificateChain(trust) as? [SecCertificate] == chain)
  }

  @Test func chainThatFailsOneOfTwoPoliciesIsNotTrusted() throws {
    let trust = try trust("IBC", anchors: [chains.own])
    let wrong = SecPolicyCreateSSL(true, "wrong.example" as CFString)
    for policies in [[SecPolicyCreateBasicX509(), wrong], [wrong, SecPolicyCreateBasicX509()]] {
      SecTrustSetPolicies(trust, policies as CFArray)
      #expect(!SecTrustEvaluateWithError(trust, nil))
      // The root is an anchor, and wasn't sent.
      #expect(try ChainReader.indexed(trust).last == chains.own.certificate)
    }
    SecTrustSetPolicies(trust, SecPolicyCreateBasicX509())
    #expect(SecTrustGetCertificateCount(trust) == 3)
  }

  /// An authority of the app's own that isn't a root ends the chain.
  @Test func chainEndsAtAnAnchorThatIsNoRoot() throws {
    let intermediate = try chains.own.authority.get().makeIntermediate()
    let certificates = try [intermediate.issue().der, chains.strange.der, chains.own.der, intermediate.der].map { der in
      try #require(SecCertificateCreateWithData(nil, der as CFData))
    }
    var made: SecTrust?
    _ = SecTrustCreateWithCertificates(certificates as CFArray, SecPolicyCreateBasicX509(), &made)
    let trust = try #require(made)
    SecTrustSetAnchorCertificates(trust, [certificates[3]] as CFArray)
    #expect(ChainReader.indexed(trust) == [certificates[0], certificates[3]])
  }

  @Test(arguments: SentChains.all) func errorShowsNoCertificateThatWasOnlySent(sent: String) async throws {
    try await TestServer.with(.https(chains.server(sent))) { server async throws in
      let session = URLSession(configuration: .testing(trusting: try chains.strange.authority.get()))
      defer { session.invalidateAndCancel() }
      let error = await #expect(throws: URLError.self) { _ = try await session.data(from: server.url("/")) }
      let shown = try #require(error?.userInfo["NSErrorPeerCertificateChainKey"] as? [SecCertificate])
      #expect(try !shown.contains(chains.strange.certificate) && !shown.contains(chains.stranger.certificate))
      #expect(try shown.contains(chains.own.certificate) == sent.contains("A"))
      let trust = try #require(error?.failureURLPeerTrust)
      #expect(ChainReader.indexed(trust) == shown)
    }
  }

  /// The name of another origin in a certificate that is only sent opens no connection to that origin.
  @Test func sharedConnectionServesNoNameOfACertificateThatWasOnlySent() async throws {
    let (own, other) = (try chains.server("", hosts: ["127.0.0.1"]), try chains.server("", hosts: ["localhost"]))
    let sent = try TestCertificate(chainPEM: own.pem + other.pem + (try chains.own.pem), privateKeyPEM: own.privateKeyPEM)
    try await TestServer.with(.http2(sent)) { server async throws in
      server.route("/", reply: .text("ok"))
      let session = URLSession(configuration: try chains.configuration())
      defer { session.invalidateAndCancel() }
      _ = try await session.data(from: server.url("/"))
      let error = await #expect(throws: URLError.self) { _ = try await session.data(from: server.url("/", host: "localhost")) }
      #expect(error?.code == .serverCertificateUntrusted && server.requestCount == 1)
    }
  }
}

/// Accepts a server whose chain has one certificate, however the app reads the chain.
final class ChainReader: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
  // @unchecked: immutable.
  private let pinned: SecCertificate
  private let evaluates: Bool
  private let read: @Sendable (SecTrust) -> [SecCertificate]

  init(_ pinned: SecCertificate, evaluates: Bool = true, _ read: @escaping @Sendable (SecTrust) -> [SecCertificate]) {
    self.pinned = pinned
    self.evaluates = evaluates
    self.read = read
  }

  @Sendable static func indexed(_ trust: SecTrust) -> [SecCertificate] {
    (0..<SecTrustGetCertificateCount(trust)).compactMap { SecTrustGetCertificateAtIndex(trust, $0) }
  }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    guard let trust = challenge.protectionSpace.serverTrust else { return (.performDefaultHandling, nil) }
    if evaluates, !SecTrustEvaluateWithError(trust, nil) { return (.cancelAuthenticationChallenge, nil) }
    return read(trust).contains(pinned) ? (.useCredential, URLCredential(trust: trust)) : (.cancelAuthenticationChallenge, nil)
  }
}
