import Crypto
import Foundation
import FoundationNetworking
import Pinning
import Security
import Testing
import URLLoadingTestKit

/// Pinning code as apps have it, compiled unchanged, against servers it must accept and servers it must not.
@Suite(.timeLimit(.minutes(10))) struct PinningTests {
  private let authority: TestCertificateAuthority
  private let impostor: TestCertificateAuthority

  init() throws {
    authority = try TestCertificateAuthority()
    impostor = try TestCertificateAuthority(name: "Impostor")
  }

  /// The code with which a load fails; nil if it succeeds. The session trusts both authorities.
  private func code(
    _ certificate: TestCertificate, session delegate: (any URLSessionDelegate)? = nil, task: (any URLSessionTaskDelegate)? = nil,
    options change: (inout TestServer.Options) -> Void = { _ in }
  ) async throws -> Int? {
    var options = TestServer.Options.https(certificate)
    change(&options)
    let configuration = URLSessionConfiguration.testing(trusting: authority)
    configuration.trust(impostor)
    return try await TestServer.failureCode(options, configuration, session: delegate, task: task)
  }

  @Test func pinnedCertificateIsAcceptedAndAnotherIsNot() async throws {
    let pinned = try authority.issue()
    let delegate = CertificatePinningDelegate(certificates: [pinned.der])
    #expect(try await code(pinned, session: delegate) == nil)
    #expect(try await code(impostor.issue(), session: delegate) == URLError.cancelled.rawValue)
    #expect(try await code(authority.issueExpired(), session: delegate) == URLError.cancelled.rawValue)
  }

  @Test func pinnedKeyHashIsAcceptedAnywhereInTheChain() async throws {
    let intermediate = try authority.makeIntermediate()
    let certificate = try #require(SecCertificateCreateWithData(nil, intermediate.der as CFData))
    let pin = try #require(PublicKeyHashPinningDelegate.pin(of: certificate))
    let delegate = PublicKeyHashPinningDelegate(pins: [pin])
    #expect(try await code(intermediate.issue(), session: delegate) == nil)
    #expect(try await code(impostor.issue(), session: delegate) == URLError.cancelled.rawValue)
  }

  @Test func evaluatorsJudgeByHost() async throws {
    let anchor = try #require(SecCertificateCreateWithData(nil, authority.der as CFData))
    let byAnchor = EvaluatingDelegate(evaluators: ["127.0.0.1": AnchorEvaluator(anchors: [anchor])])
    #expect(try await code(authority.issue(), task: byAnchor) == nil)
    #expect(try await code(impostor.issue(), task: byAnchor) == URLError.cancelled.rawValue)
    let good = try authority.issue()
    let leaf = try #require(SecCertificateCreateWithData(nil, good.der as CFData))
    let byKey = EvaluatingDelegate(evaluators: ["127.0.0.1": PublicKeyEvaluator(keys: [try #require(SecCertificateCopyKey(leaf))])])
    #expect(try await code(good, task: byKey) == nil)
    #expect(try await code(authority.issue(), task: byKey) == URLError.cancelled.rawValue)
    let byNothing = EvaluatingDelegate(evaluators: [:])
    #expect(try await code(good, task: byNothing) == URLError.cancelled.rawValue)
  }

  @Test func importedIdentityOpensTheDoor() async throws {
    let archive = try authority.issueClient().pkcs12(passphrase: "open sesame")
    let require: (inout TestServer.Options) -> Void = { $0.clientCertificates = .required(authority) }
    let right = ClientIdentityDelegate(archive: archive, passphrase: "open sesame")
    #expect(try await code(authority.issue(), session: right, options: require) == nil)
    let wrong = ClientIdentityDelegate(archive: archive, passphrase: "wrong")
    #expect(try await code(authority.issue(), session: wrong, options: require) == URLError.clientCertificateRequired.rawValue)
  }
}
