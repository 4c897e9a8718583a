import Foundation
import FoundationNetworking
import Security

// Server trust evaluation as the networking packages of Apple's platforms write it: the names that they use of `Security`, in the form in
// which they use them. It has to compile with `import Security` as on those platforms.

/// One way to evaluate a server.
protocol TrustEvaluating: Sendable {
  func evaluate(_ trust: SecTrust, forHost host: String) throws
}

/// Why a server isn't trusted.
enum EvaluationFailure: Error {
  case noCertificates
  case policyRefused(status: OSStatus)
  case anchorsRefused(status: OSStatus)
  case noRevocationPolicy
  case evaluationFailed(error: (any Error)?)
  case hostRefused(status: OSStatus, result: SecTrustResultType)
  case noPin(host: String, sent: Int)
  case noEvaluator(host: String)
}

/// The platform's own evaluation.
struct PlatformEvaluating: TrustEvaluating {
  var validatesHost = true

  func evaluate(_ trust: SecTrust, forHost host: String) throws {
    if validatesHost { try trust.evaluate(forHost: host) }
    try trust.evaluate(applying: SecPolicyCreateSSL(true, validatesHost ? host as CFString : nil))
  }
}

/// The platform's evaluation, and then one by a revocation policy alone.
struct RevocationEvaluating: TrustEvaluating {
  struct Options: OptionSet, Sendable {
    static let crl = Options(rawValue: kSecRevocationCRLMethod)
    static let networkAccessDisabled = Options(rawValue: kSecRevocationNetworkAccessDisabled)
    static let ocsp = Options(rawValue: kSecRevocationOCSPMethod)
    static let preferCRL = Options(rawValue: kSecRevocationPreferCRL)
    static let requirePositiveResponse = Options(rawValue: kSecRevocationRequirePositiveResponse)
    static let any = Options(rawValue: kSecRevocationUseAnyAvailableMethod)

    let rawValue: CFOptionFlags
  }

  var options: Options = .any

  func evaluate(_ trust: SecTrust, forHost host: String) throws {
    try PlatformEvaluating().evaluate(trust, forHost: host)
    guard let policy = SecPolicyCreateRevocation(options.rawValue) else { throw EvaluationFailure.noRevocationPolicy }
    try trust.evaluate(applying: policy)
  }
}

/// Certificates of the app's own, of which one has to be in the chain.
struct PinnedCertificateEvaluating: TrustEvaluating, @unchecked Sendable {
  // @unchecked: certificates are immutable.
  var certificates: [SecCertificate]
  var acceptsSelfSigned = false

  func evaluate(_ trust: SecTrust, forHost host: String) throws {
    guard !certificates.isEmpty else { throw EvaluationFailure.noCertificates }
    if acceptsSelfSigned {
      var status = SecTrustSetAnchorCertificates(trust, certificates as CFArray)
      guard status == errSecSuccess else { throw EvaluationFailure.anchorsRefused(status: status) }
      status = SecTrustSetAnchorCertificatesOnly(trust, true)
      guard status == errSecSuccess else { throw EvaluationFailure.anchorsRefused(status: status) }
    }
    try PlatformEvaluating().evaluate(trust, forHost: host)
    let sent = Set(trust.certificateList.map { SecCertificateCopyData($0) as Data })
    let pinned = Set(certificates.map { SecCertificateCopyData($0) as Data })
    guard !sent.isDisjoint(with: pinned) else { throw EvaluationFailure.noPin(host: host, sent: sent.count) }
  }
}

/// Public keys of the app's own, of which one has to be in the chain.
struct PublicKeyEvaluating: TrustEvaluating, @unchecked Sendable {
  // @unchecked: keys are immutable.
  var keys: [SecKey]

  func evaluate(_ trust: SecTrust, forHost host: String) throws {
    guard !keys.isEmpty else { throw EvaluationFailure.noCertificates }
    try PlatformEvaluating().evaluate(trust, forHost: host)
    let sent = trust.certificateList.compactMap(\.publicKeyByTrust)
    guard sent.contains(where: { key in keys.contains { $0 as AnyHashable == key as AnyHashable } }) else {
      throw EvaluationFailure.noPin(host: host, sent: sent.count)
    }
  }
}

/// Hashes of public keys, each with the header that its type and size ask for, of which one has to be in the chain.
struct KeyHashEvaluating: TrustEvaluating {
  var pins: Set<Data>
  let hash: @Sendable (Data) -> Data

  func evaluate(_ trust: SecTrust, forHost host: String) throws {
    try PlatformEvaluating().evaluate(trust, forHost: host)
    let sent = trust.certificateList.compactMap { $0.keyInfo().map(hash) }
    guard sent.contains(where: pins.contains) else { throw EvaluationFailure.noPin(host: host, sent: sent.count) }
  }
}

/// Several evaluations, all of which have to be good.
struct CompositeEvaluating: TrustEvaluating {
  var evaluators: [any TrustEvaluating]

  func evaluate(_ trust: SecTrust, forHost host: String) throws {
    for evaluator in evaluators { try evaluator.evaluate(trust, forHost: host) }
  }
}

extension SecTrust {
  var certificateList: [SecCertificate] { (SecTrustCopyCertificateChain(self) as? [SecCertificate]) ?? [] }

  fileprivate func evaluate(applying policy: SecPolicy) throws {
    let status = SecTrustSetPolicies(self, policy)
    guard status == errSecSuccess else { throw EvaluationFailure.policyRefused(status: status) }
    var error: CFError?
    guard SecTrustEvaluateWithError(self, &error) else { throw EvaluationFailure.evaluationFailed(error: error) }
  }

  /// By the outdated form of evaluation.
  fileprivate func evaluate(forHost host: String) throws {
    guard SecTrustSetPolicies(self, SecPolicyCreateSSL(true, host as CFString)) == errSecSuccess else { return }
    var result = SecTrustResultType.invalid
    let status = SecTrustEvaluate(self, &result)
    guard status == errSecSuccess, [.unspecified, .proceed].contains(result) else {
      throw EvaluationFailure.hostRefused(status: status, result: result)
    }
  }
}

extension SecCertificate {
  /// The public key, by way of a trust of the certificate alone.
  var publicKeyByTrust: SecKey? {
    var trust: SecTrust?
    let status = SecTrustCreateWithCertificates(self, SecPolicyCreateBasicX509(), &trust)
    guard let trust, status == errSecSuccess else { return nil }
    return SecTrustCopyKey(trust)
  }

  /// The subject's public key info, put together of the key's external form and the header of its type; nil for other types.
  func keyInfo() -> Data? {
    var error: Unmanaged<CFError>?
    guard let key = SecCertificateCopyKey(self), let attributes = SecKeyCopyAttributes(key) as? [CFString: Any],
      let bytes = SecKeyCopyExternalRepresentation(key, &error) as Data?, let type = attributes[kSecAttrKeyType] as? String,
      let size = attributes[kSecAttrKeySizeInBits] as? Int
    else { return nil }
    let headers: [String: [Int: [UInt8]]] = [
      kSecAttrKeyTypeECSECPrimeRandom as String: [
        256: [
          0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03,
          0x01,
          0x07, 0x03, 0x42, 0x00,
        ]
      ],
      kSecAttrKeyTypeRSA as String: [
        2048: [
          0x30, 0x82, 0x01, 0x22, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00, 0x03, 0x82,
          0x01,
          0x0F, 0x00,
        ]
      ],
    ]
    return headers[type]?[size].map { Data($0) + bytes }
  }

  /// What a log would show of it.
  var summary: String {
    var name: CFString?
    SecCertificateCopyCommonName(self, &name)
    return "\(name as String? ?? "-") (\(SecCertificateCopySubjectSummary(self) as String? ?? "-"))"
  }
}

/// Answers server trust challenges by the evaluator of the host.
final class EvaluatingSessionDelegate: NSObject, URLSessionDelegate, @unchecked Sendable {
  // @unchecked: immutable.
  private let evaluators: [String: any TrustEvaluating]

  init(_ evaluators: [String: any TrustEvaluating]) { self.evaluators = evaluators }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let host = challenge.protectionSpace.host
    guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
      let trust = challenge.protectionSpace.serverTrust
    else { return completionHandler(.performDefaultHandling, nil) }
    do {
      guard let evaluator = evaluators[host] else { throw EvaluationFailure.noEvaluator(host: host) }
      try evaluator.evaluate(trust, forHost: host)
      completionHandler(.useCredential, URLCredential(trust: trust))
    } catch {
      completionHandler(.cancelAuthenticationChallenge, nil)
    }
  }
}
