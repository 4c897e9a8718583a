#if canImport(CryptoKit) || canImport(Crypto)
  import Foundation

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif
  #if canImport(Security)
    import Security
  #endif
  #if canImport(CryptoKit)
    import CryptoKit
  #else
    import Crypto
  #endif

  /// Accepts servers in whose chain a public key has one of the known digests: base 64 of the SHA-256 of its SubjectPublicKeyInfo, as
  /// `openssl x509 -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64` prints it.
  public final class PublicKeyHashPinningDelegate: NSObject, URLSessionDelegate, @unchecked Sendable {
    // @unchecked: immutable.
    private let pins: Set<String>

    public init(pins: Set<String>) { self.pins = pins }

    /// The bytes before the key's own in a SubjectPublicKeyInfo, by kind and size of the key.
    private static let headers: [String: [UInt8]] = [
      "\(kSecAttrKeyTypeRSA)-2048": [
        0x30, 0x82, 0x01, 0x22, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00, 0x03, 0x82, 0x01,
        0x0F, 0x00,
      ],
      "\(kSecAttrKeyTypeRSA)-4096": [
        0x30, 0x82, 0x02, 0x22, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00, 0x03, 0x82, 0x02,
        0x0F, 0x00,
      ],
      "\(kSecAttrKeyTypeECSECPrimeRandom)-256": [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01,
        0x07, 0x03, 0x42, 0x00,
      ],
      "\(kSecAttrKeyTypeECSECPrimeRandom)-384": [
        0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22, 0x03, 0x62,
        0x00,
      ],
    ]

    /// The pin of a certificate's key; nil for kinds of keys that aren't listed.
    public static func pin(of certificate: SecCertificate) -> String? {
      guard let key = SecCertificateCopyKey(certificate), let attributes = SecKeyCopyAttributes(key) as? [CFString: Any],
        let type = attributes[kSecAttrKeyType] as? String, let size = attributes[kSecAttrKeySizeInBits] as? Int,
        let header = headers["\(type)-\(size)"]
      else { return nil }
      var error: Unmanaged<CFError>?
      guard let bytes = SecKeyCopyExternalRepresentation(key, &error) as Data? else { return nil }
      return Data(SHA256.hash(data: Data(header) + bytes)).base64EncodedString()
    }

    public func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      guard let trust = challenge.protectionSpace.serverTrust else { return (.performDefaultHandling, nil) }
      let policy = SecPolicyCreateSSL(true, challenge.protectionSpace.host as CFString)
      SecTrustSetPolicies(trust, policy)
      guard SecTrustEvaluateWithError(trust, nil) else { return (.cancelAuthenticationChallenge, nil) }
      let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
      let isPinned = chain.contains { certificate in Self.pin(of: certificate).map(pins.contains) ?? false }
      return isPinned ? (.useCredential, URLCredential(trust: trust)) : (.cancelAuthenticationChallenge, nil)
    }
  }
#endif
