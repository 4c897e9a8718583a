import Foundation
import FoundationNetworking
import Security
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct RevocationPolicyTests {
  private let authority: TestCertificateAuthority

  init() throws { authority = try TestCertificateAuthority() }

  /// The status of an evaluation of a good certificate by `policies`; 0 if it is trusted.
  private func status(
    _ policies: [SecPolicy], _ certificate: TestCertificate? = nil, _ lists: URLSessionRevocationLists? = nil
  ) throws -> OSStatus {
    let der = try (certificate ?? authority.issue()).der
    let leaf = try #require(SecCertificateCreateWithData(nil, der as CFData))
    let anchor = try #require(SecCertificateCreateWithData(nil, authority.der as CFData))
    var made: SecTrust?
    #expect(SecTrustCreateWithCertificates(leaf, policies as CFArray, &made) == errSecSuccess)
    let trust = try #require(made)
    SecTrustSetAnchorCertificates(trust, [anchor] as CFArray)
    trust.setRevocationLists(lists)
    var error: CFError?
    let isTrusted = SecTrustEvaluateWithError(trust, &error)
    #expect(isTrusted == (error == nil))
    var result = SecTrustResultType.invalid
    SecTrustGetTrustResult(trust, &result)
    #expect((result == .unspecified) == isTrusted)
    return OSStatus(error.map(CFErrorGetCode) ?? 0)
  }

  @Test(arguments: [
    kSecRevocationOCSPMethod, kSecRevocationCRLMethod, kSecRevocationUseAnyAvailableMethod,
    kSecRevocationCRLMethod | kSecRevocationPreferCRL,
    kSecRevocationUseAnyAvailableMethod | kSecRevocationNetworkAccessDisabled,
  ])
  func unknownRevocationPasses(_ flags: CFOptionFlags) throws {
    let policy = try #require(SecPolicyCreateRevocation(flags))
    #expect(try status([policy]) == errSecSuccess)
    #expect(try status([SecPolicyCreateSSL(true, "localhost" as CFString), policy]) == errSecSuccess)
  }

  @Test(arguments: [kSecRevocationOCSPMethod, kSecRevocationCRLMethod, kSecRevocationUseAnyAvailableMethod])
  func requiredPositiveResponseIsNotThereWithoutLists(_ method: CFOptionFlags) throws {
    let policy = try #require(SecPolicyCreateRevocation(method | kSecRevocationRequirePositiveResponse))
    let tls = SecPolicyCreateSSL(true, "localhost" as CFString)
    for policies in [[policy], [tls, policy], [policy, tls]] {
      #expect(try status(policies) == errSecIncompleteCertRevocationCheck)
    }
    #expect(SecCopyErrorMessageString(errSecIncompleteCertRevocationCheck, nil) != nil)
  }

  @Test func listsAnswer() throws {
    let (good, bad) = try (authority.issue(), authority.issue())
    let lists = try URLSessionRevocationLists(data: authority.revocationList([bad.der]))
    let tls = SecPolicyCreateSSL(true, "localhost" as CFString)
    let byLists = kSecRevocationCRLMethod | kSecRevocationRequirePositiveResponse
    for flags in [kSecRevocationCRLMethod, byLists, kSecRevocationUseAnyAvailableMethod | kSecRevocationRequirePositiveResponse] {
      let policy = try #require(SecPolicyCreateRevocation(flags))
      #expect(try status([tls, policy], good, lists) == errSecSuccess)
      #expect(try status([policy], bad, lists) == errSecCertificateRevoked)
    }
    #expect(try status([tls], bad, lists) == errSecCertificateRevoked)
    let byOCSP = try #require(SecPolicyCreateRevocation(kSecRevocationOCSPMethod | kSecRevocationRequirePositiveResponse))
    #expect(try status([byOCSP], good, lists) == errSecIncompleteCertRevocationCheck)
    #expect(SecCopyErrorMessageString(errSecCertificateRevoked, nil) != nil)
  }

  @Test func filesThatAreNoListsAreErrors() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "list-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(throws: CocoaError.self) { try URLSessionRevocationLists(contentsOf: file) }
    try Data("nothing".utf8).write(to: file)
    let error = #expect(throws: CocoaError.self) { try URLSessionRevocationLists(contentsOf: file) }
    #expect(error?.localizedDescription.contains(file.lastPathComponent) == true)
    #expect(throws: CocoaError.self) { try URLSessionRevocationLists(contentsOf: [URL]()) }
    try authority.revocationList([]).write(to: file)
    #expect(try URLSessionRevocationLists(contentsOf: [file, file]).count == 2)
  }

  @Test func chainIsCheckedBesides() throws {
    for flags in [kSecRevocationOCSPMethod, kSecRevocationOCSPMethod | kSecRevocationRequirePositiveResponse] {
      let policy = try #require(SecPolicyCreateRevocation(flags))
      #expect(try status([policy], authority.issueExpired()) == errSecCertificateExpired)
      #expect(try status([policy], .selfSigned()) == errSecNotTrusted)
    }
  }

  @Test(arguments: [0, kSecRevocationPreferCRL, kSecRevocationRequirePositiveResponse, kSecRevocationNetworkAccessDisabled])
  func policyWithoutAMethodIsNone(_ flags: CFOptionFlags) { #expect(SecPolicyCreateRevocation(flags) == nil) }

  @Test func policiesWithOtherOptionsDiffer() throws {
    let ocsp = try #require(SecPolicyCreateRevocation(kSecRevocationOCSPMethod))
    #expect(try ocsp == #require(SecPolicyCreateRevocation(kSecRevocationOCSPMethod)))
    #expect(try ocsp != #require(SecPolicyCreateRevocation(kSecRevocationCRLMethod)))
    #expect(try ocsp != #require(SecPolicyCreateRevocation(kSecRevocationOCSPMethod | kSecRevocationRequirePositiveResponse)))
    #expect(ocsp != SecPolicyCreateBasicX509())
  }
}
