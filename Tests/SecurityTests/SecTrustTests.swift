import Foundation
import FoundationNetworking
import Security
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct SecTrustTests {
  private let authority: TestCertificateAuthority

  init() throws { authority = try TestCertificateAuthority() }

  private func certificate(_ der: Data) throws -> SecCertificate { try #require(SecCertificateCreateWithData(nil, der as CFData)) }

  private func trust(_ certificate: TestCertificate, _ policy: SecPolicy, anchored: Bool = true) throws -> SecTrust {
    var trust: SecTrust?
    #expect(SecTrustCreateWithCertificates([try self.certificate(certificate.der)] as CFArray, policy, &trust) == errSecSuccess)
    let made = try #require(trust)
    if anchored { SecTrustSetAnchorCertificates(made, [try self.certificate(authority.der)] as CFArray) }
    return made
  }

  private func status(_ trust: SecTrust) -> OSStatus {
    var error: CFError?
    let isTrusted = SecTrustEvaluateWithError(trust, &error)
    #expect(isTrusted == (error == nil))
    if let error { #expect(CFErrorGetDomain(error) as String == NSOSStatusErrorDomain && !error.localizedDescription.isEmpty) }
    return OSStatus(error?.code ?? 0)
  }

  @Test func evaluationGivesReasons() throws {
    let tls = SecPolicyCreateSSL(true, "localhost" as CFString)
    #expect(try status(trust(authority.issue(), tls)) == errSecSuccess)
    #expect(try status(trust(authority.issueExpired(), tls)) == errSecCertificateExpired)
    #expect(try status(trust(authority.issueNotYetValid(), tls)) == errSecCertificateNotValidYet)
    #expect(try status(trust(authority.issueForWrongHost(), tls)) == errSecHostNameMismatch)
    #expect(try status(trust(.selfSigned(), tls)) == errSecNotTrusted)
    #expect(try status(trust(authority.issue(), tls, anchored: false)) == errSecNotTrusted)
    #expect(try status(trust(authority.issueClient(), tls)) != errSecSuccess)
  }

  @Test func wildcardStandsForOneWholeLeftmostLabel() throws {
    for (pattern, host, expected) in [
      ("*.site.example", "a.site.example", errSecSuccess), ("*.site.example", "A.SITE.EXAMPLE", errSecSuccess),
      ("*.site.example", "a.site.example.", errSecSuccess), ("*.site.example", "a.b.site.example", errSecHostNameMismatch),
      ("*.site.example", "site.example", errSecHostNameMismatch), ("f*.site.example", "foo.site.example", errSecHostNameMismatch),
      ("a.*.example", "a.site.example", errSecHostNameMismatch), ("*", "localhost", errSecHostNameMismatch),
      ("*.example", "site.example", errSecHostNameMismatch), ("::1", "::1", errSecSuccess), ("::1", "0:0:0:0:0:0:0:1", errSecSuccess),
      ("::1", "::2", errSecHostNameMismatch), ("127.0.0.1", "127.0.0.1", errSecSuccess),
    ] {
      let trust = try trust(authority.issue(hosts: [pattern]), SecPolicyCreateSSL(true, host as CFString))
      #expect(status(trust) == expected, "\(pattern) for \(host)")
    }
  }

  @Test func policiesDateAndAnchorsCanBeChanged() throws {
    let trust = try trust(authority.issueForWrongHost(), SecPolicyCreateSSL(true, "localhost" as CFString))
    #expect(status(trust) == errSecHostNameMismatch)
    SecTrustSetPolicies(trust, SecPolicyCreateBasicX509())
    #expect(status(trust) == errSecSuccess)
    SecTrustSetPolicies(trust, [SecPolicyCreateBasicX509(), SecPolicyCreateSSL(true, "localhost" as CFString)] as CFArray)
    #expect(status(trust) == errSecHostNameMismatch)
    SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, nil))
    #expect(status(trust) == errSecSuccess)
    SecTrustSetVerifyDate(trust, Date(timeIntervalSinceNow: 10 * 86400) as CFDate)
    #expect(status(trust) == errSecCertificateExpired)
    SecTrustSetVerifyDate(trust, Date() as CFDate)
    SecTrustSetAnchorCertificates(trust, [] as CFArray)
    #expect(status(trust) == errSecNotTrusted)
  }

  @Test func leafItselfCanBeTheAnchor() throws {
    let own = try authority.issue()
    let trust = try trust(own, SecPolicyCreateSSL(true, "localhost" as CFString), anchored: false)
    SecTrustSetAnchorCertificates(trust, [try certificate(own.der)] as CFArray)
    #expect(status(trust) == errSecSuccess)
  }

  @Test func resultAndExceptionsFollowTheEvaluation() throws {
    let trust = try trust(authority.issueExpired(), SecPolicyCreateSSL(true, "localhost" as CFString))
    var result = SecTrustResultType.deny
    SecTrustGetTrustResult(trust, &result)
    #expect(result == .invalid)
    SecTrustEvaluate(trust, &result)
    #expect(result == .recoverableTrustFailure)
    #expect(!SecTrustSetExceptions(trust, Data([1]) as CFData))
    #expect(SecTrustSetExceptions(trust, SecTrustCopyExceptions(trust)))
    #expect(status(trust) == errSecSuccess)
    SecTrustGetTrustResult(trust, &result)
    #expect(result == .proceed)
  }

  @Test func chainIsListedFromLeafToAnchor() throws {
    let trust = try trust(authority.issue(), SecPolicyCreateBasicX509())
    #expect(SecTrustGetCertificateCount(trust) == 2)
    let chain = try #require(SecTrustCopyCertificateChain(trust) as? [SecCertificate])
    #expect(SecCertificateCopyData(chain[1]) as Data == authority.der)
    #expect(SecTrustGetCertificateAtIndex(trust, 1) == chain[1])
    #expect(SecTrustGetCertificateAtIndex(trust, 2) == nil)
    #expect(SecTrustCopyKey(trust) == SecCertificateCopyKey(chain[0]))
  }

  @Test func certificateAndKeyShowTheirParts() throws {
    let certificate = try certificate(authority.der)
    #expect(SecCertificateCopySubjectSummary(certificate) as String? == "Test Authority")
    var name: CFString?
    #expect(SecCertificateCopyCommonName(certificate, &name) == errSecSuccess)
    #expect(name as String? == "Test Authority")
    let key = try #require(SecCertificateCopyKey(certificate))
    let bytes = try #require(SecKeyCopyExternalRepresentation(key, nil)) as Data
    #expect(bytes.count == 65 && bytes.first == 4)
    let attributes = try #require(SecKeyCopyAttributes(key) as? [CFString: Any])
    #expect(attributes[kSecAttrKeyType] as? String == kSecAttrKeyTypeECSECPrimeRandom as String)
    #expect(attributes[kSecAttrKeySizeInBits] as? Int == 256)
    #expect(SecCertificateCreateWithData(nil, Data("nonsense".utf8) as CFData) == nil)
    #expect(SecCertificateCreateWithData(nil, authority.der + [0] as CFData) == nil)
  }

  @Test func importGivesIdentityChainAndTrust() throws {
    let archive = try authority.makeIntermediate().issueClient().pkcs12(passphrase: "p") as CFData
    var items: CFArray?
    #expect(SecPKCS12Import(archive, [kSecImportExportPassphrase: "wrong"] as CFDictionary, &items) == errSecAuthFailed)
    #expect(SecPKCS12Import(archive, [kSecImportExportPassphrase: "p"] as CFDictionary, &items) == errSecSuccess)
    let item = try #require((items as? [[String: Any]])?.first)
    let identity = try #require(item[kSecImportItemIdentity as String] as? SecIdentity)
    var own: SecCertificate?
    SecIdentityCopyCertificate(identity, &own)
    #expect((item[kSecImportItemCertChain as String] as? [SecCertificate])?.first == own)
    #expect((item[kSecImportItemCertChain as String] as? [SecCertificate])?.count == 2)
    #expect(item[kSecImportItemTrust as String] is SecTrust)
    #expect(!"\(identity) \(Mirror(reflecting: identity).children.map { "\($0)" })".contains("privateKey"))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300]) func verifyDateThatIsNoDateTrustsNothing(seconds: Double) throws {
    let trust = try trust(authority.issue(), SecPolicyCreateSSL(true, "localhost" as CFString))
    #expect(status(trust) == errSecSuccess)
    SecTrustSetVerifyDate(trust, Date(timeIntervalSince1970: seconds) as CFDate)
    #expect(status(trust) != errSecSuccess)
  }
}
