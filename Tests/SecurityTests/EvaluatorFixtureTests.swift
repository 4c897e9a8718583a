import Crypto
import Foundation
import FoundationNetworking
import Security
import Testing
import URLLoadingTestKit

/// The evaluators of `EvaluatorFixture.swift` against servers that they must accept and servers that they must not.
@Suite(.timeLimit(.minutes(10))) struct EvaluatorFixtureTests {
  private let authority: TestCertificateAuthority
  private let impostor: TestCertificateAuthority
  private static let cancelled = URLError.cancelled.rawValue

  init() throws {
    authority = try TestCertificateAuthority()
    impostor = try TestCertificateAuthority(name: "Impostor")
  }

  private func certificate(_ der: Data) throws -> SecCertificate { try #require(SecCertificateCreateWithData(nil, der as CFData)) }

  /// The code with which a load fails; nil if it succeeds. The session trusts both authorities.
  private func code(_ certificate: TestCertificate, _ evaluator: any TrustEvaluating) async throws -> Int? {
    let configuration = URLSessionConfiguration.testing(trusting: authority)
    configuration.trust(impostor)
    let delegate = EvaluatingSessionDelegate(["127.0.0.1": evaluator])
    return try await TestServer.failureCode(.https(certificate), configuration, session: delegate)
  }

  @Test func platformsJudgement() async throws {
    #expect(try await code(authority.issue(), PlatformEvaluating()) == nil)
    #expect(try await code(authority.issueExpired(), PlatformEvaluating()) == Self.cancelled)
    #expect(try await code(authority.issueForWrongHost(), PlatformEvaluating()) == Self.cancelled)
    #expect(try await code(authority.issueForWrongHost(), PlatformEvaluating(validatesHost: false)) == nil)
  }

  @Test func revocationThatIsRequiredRefusesAndElsePasses() async throws {
    #expect(try await code(authority.issue(), RevocationEvaluating()) == nil)
    #expect(try await code(authority.issue(), RevocationEvaluating(options: [.crl, .preferCRL, .networkAccessDisabled])) == nil)
    #expect(try await code(authority.issue(), RevocationEvaluating(options: [.ocsp, .requirePositiveResponse])) == Self.cancelled)
    #expect(try await code(authority.issueExpired(), RevocationEvaluating()) == Self.cancelled)
  }

  @Test func pinnedCertificates() async throws {
    let good = try authority.issue()
    let byLeaf = try PinnedCertificateEvaluating(certificates: [certificate(good.der)])
    #expect(try await code(good, byLeaf) == nil)
    #expect(try await code(authority.issue(), byLeaf) == Self.cancelled)
    let byAnchor = try PinnedCertificateEvaluating(certificates: [certificate(authority.der)])
    #expect(try await code(good, byAnchor) == nil)
    #expect(try await code(impostor.issue(), byAnchor) == Self.cancelled)
    let own = try TestCertificate.selfSigned()
    #expect(try await code(own, PinnedCertificateEvaluating(certificates: [certificate(own.der)], acceptsSelfSigned: true)) == nil)
    #expect(try await code(own, PinnedCertificateEvaluating(certificates: [certificate(own.der)])) == Self.cancelled)
    #expect(try await code(good, PinnedCertificateEvaluating(certificates: [])) == Self.cancelled)
  }

  @Test func publicKeysAndTheirHashes() async throws {
    let good = try authority.issue()
    let leaf = try certificate(good.der)
    let keys = PublicKeyEvaluating(keys: [try #require(leaf.publicKeyByTrust)])
    #expect(try await code(good, keys) == nil)
    #expect(try await code(authority.issue(), keys) == Self.cancelled)
    let hash: @Sendable (Data) -> Data = { Data(SHA256.hash(data: $0)) }
    let hashes = KeyHashEvaluating(pins: [hash(try #require(leaf.keyInfo()))], hash: hash)
    #expect(try await code(good, hashes) == nil)
    #expect(try await code(authority.issue(), hashes) == Self.cancelled)
    #expect(!leaf.summary.isEmpty)
  }

  @Test func compositeNeedsAll() async throws {
    let good = try authority.issue()
    let pinned = try PinnedCertificateEvaluating(certificates: [certificate(authority.der)])
    #expect(try await code(good, CompositeEvaluating(evaluators: [PlatformEvaluating(), RevocationEvaluating(), pinned])) == nil)
    let required = RevocationEvaluating(options: [.any, .requirePositiveResponse])
    #expect(try await code(good, CompositeEvaluating(evaluators: [pinned, required])) == Self.cancelled)
  }

  @Test func hostWithoutAnEvaluatorIsRefused() async throws {
    let delegate = EvaluatingSessionDelegate([:])
    let configuration = URLSessionConfiguration.testing(trusting: authority)
    #expect(try await TestServer.failureCode(.https(authority.issue()), configuration, session: delegate) == Self.cancelled)
  }
}
