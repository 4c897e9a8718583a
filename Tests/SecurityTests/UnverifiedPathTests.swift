import Foundation
import FoundationNetworking
import Security
import Testing
import URLLoadingTestKit

/// What is shown of a chain that isn't trusted: the path of those who have verifiably signed one another, and nothing that was only sent.
@Suite(.timeLimit(.minutes(10))) struct UnverifiedPathTests {
  private let root: TestCertificateAuthority

  init() throws { root = try TestCertificateAuthority(name: "Root") }

  private func certificate(_ der: Data) throws -> SecCertificate { try #require(SecCertificateCreateWithData(nil, der as CFData)) }

  /// What is shown where these are sent, and `anchors` are set.
  private func path(_ sent: [Data], anchors: [Data] = []) throws -> [Data] {
    var made: SecTrust?
    let policy = SecPolicyCreateSSL(true, "localhost" as CFString)
    #expect(SecTrustCreateWithCertificates(try sent.map(certificate) as CFArray, policy, &made) == errSecSuccess)
    let trust = try #require(made)
    SecTrustSetAnchorCertificates(trust, try anchors.map(certificate) as CFArray)
    #expect(!SecTrustEvaluateWithError(trust, nil))
    return ((SecTrustCopyCertificateChain(trust) as? [SecCertificate]) ?? []).map { SecCertificateCopyData($0) as Data }
  }

  @Test func pathOfAPrivateAuthorityReachesItsRootInWhateverOrderItIsSent() throws {
    let upper = try root.makeIntermediate(name: "Upper")
    let lower = try upper.makeIntermediate(name: "Lower")
    let leaf = try lower.issue()
    let expected = [leaf.der, lower.der, upper.der, root.der]
    #expect(try path(expected) == expected)
    #expect(try path([leaf.der, root.der, upper.der, lower.der]) == expected)
    // Without a link it ends there.
    #expect(try path([leaf.der, lower.der, root.der]) == [leaf.der, lower.der])
    #expect(try path([leaf.der, upper.der, root.der]) == [leaf.der])
  }

  @Test func reasonOfTheFailureDoesNotMatter() throws {
    let anchors = [root.der]
    for leaf in try [root.issueExpired(), root.issueForWrongHost(), root.issueNotYetValid()] {
      #expect(try path([leaf.der], anchors: anchors) == [leaf.der, root.der])
      #expect(try path([leaf.der, root.der]) == [leaf.der, root.der])
    }
    let alone = try TestCertificate.selfSigned()
    #expect(try path([alone.der, root.der]) == [alone.der])
  }

  @Test func authorityOfTheSameNameThatHasNotSignedStaysOut() throws {
    let impostor = try TestCertificateAuthority(name: "Root")
    let leaf = try root.issue()
    #expect(try path([leaf.der, impostor.der]) == [leaf.der])
    #expect(try path([leaf.der], anchors: [impostor.der]) == [leaf.der])
    #expect(try path([leaf.der, impostor.der, root.der]) == [leaf.der, root.der])
  }

  /// The key of a server's certificate signs what it likes: it isn't an authority's.
  @Test func certificateThatIsNoAuthoritysSignsNothing() throws {
    var traits = TestAuthorityTraits()
    traits.isAuthority = false
    let server = try root.makeIntermediate(name: "Another server", traits)
    let forged = try server.issue()
    #expect(try path([forged.der, server.der, root.der]) == [forged.der])
  }

  @Test func searchEndsWhereManyCertificatesHaveTheIssuersName() throws {
    let leaf = try root.issue()
    let impostors = try (0..<100).map { _ in try TestCertificateAuthority(name: "Root").der }
    #expect(try path([leaf.der] + impostors + [root.der]).first == leaf.der)
    #expect(try path([leaf.der] + impostors.prefix(10) + [root.der]) == [leaf.der, root.der])
  }

  /// An app that pins the root, or an intermediate, of an authority that the system doesn't know, without evaluating the trust.
  @Test(arguments: [false, true]) func privateAuthorityIsPinnedWithoutEvaluation(pinsRoot: Bool) async throws {
    let intermediate = try root.makeIntermediate()
    let leaf = try intermediate.issue(hosts: TestCertificateAuthority.loopbackHosts)
    let sent = try TestCertificate(chainPEM: leaf.pem + intermediate.pem + root.pem, privateKeyPEM: leaf.privateKeyPEM)
    for (pin, isAccepted) in [(pinsRoot ? root.der : intermediate.der, true), (try TestCertificateAuthority(name: "Root").der, false)] {
      let delegate = ChainReader(try certificate(pin), evaluates: false, ChainReader.indexed)
      let code = try await TestServer.failureCode(.https(sent), host: "localhost", .testing(), task: delegate)
      #expect((code == nil) == isAccepted)
    }
  }
}
