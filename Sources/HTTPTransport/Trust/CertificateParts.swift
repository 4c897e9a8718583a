import CLoadingBoringSSL
import Foundation

/// Reads certificates and public keys in DER. Any thread.
package enum CertificateParts {
  package enum Part {
    /// The public key as SubjectPublicKeyInfo (RFC 5280, 4.1.2.7), in DER.
    case keyInfo
    case commonName
    case organization
    /// The distinguished names of subject and issuer, in DER.
    case subject
    case issuer
    /// The serial number as big-endian bytes.
    case serialNumber
    /// The content of the TLS feature extension (RFC 7633), by which a certificate demands OCSP stapling.
    case tlsFeature
  }

  /// A public key's algorithm, its size in bits, and its bytes.
  package struct PublicKey: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
      case rsa, ellipticCurve, ed25519, other
    }
    package let kind: Kind
    package let bits: Int
    /// PKCS #1 for RSA, X9.63 for an elliptic curve; nil for others.
    package let bytes: Data?
  }

  /// Whether the bytes are one certificate and nothing else.
  package static func isCertificate(_ der: Data) -> Bool {
    var ends: (Int64, Int64) = (0, 0)
    return der.withCTLSBytes { uls_tls_certificate_validity($0, &ends.0, &ends.1) } != 0
  }

  package static func part(_ part: Part, of certificate: Data) -> Data? {
    let list = PieceList()
    let isRead = certificate.withCTLSBytes { uls_tls_certificate_part($0, part.number, PieceList.receive, list.context) }
    return isRead == 0 ? nil : list.pieces.first
  }

  package static func text(_ part: Part, of certificate: Data) -> String? {
    self.part(part, of: certificate).flatMap { String(data: $0, encoding: .utf8) }
  }

  package static func validity(of certificate: Data) -> ClosedRange<Date>? {
    var ends: (Int64, Int64) = (0, 0)
    let isRead = certificate.withCTLSBytes { uls_tls_certificate_validity($0, &ends.0, &ends.1) }
    guard isRead != 0, ends.0 <= ends.1 else { return nil }
    return Date(timeIntervalSince1970: Double(ends.0))...Date(timeIntervalSince1970: Double(ends.1))
  }

  /// Parses the public key in a SubjectPublicKeyInfo; nil if it can't be read.
  package static func publicKey(_ info: Data) -> PublicKey? {
    var kind = ULS_TLS_KEY_OTHER
    var bits: Int32 = 0
    let list = PieceList()
    guard info.withCTLSBytes({ uls_tls_key($0, &kind, &bits, PieceList.receive, list.context) }) != 0 else { return nil }
    let name: PublicKey.Kind =
      switch kind {
      case ULS_TLS_KEY_RSA: .rsa
      case ULS_TLS_KEY_EC: .ellipticCurve
      case ULS_TLS_KEY_ED25519: .ed25519
      default: .other
      }
    return PublicKey(kind: name, bits: Int(bits), bytes: list.pieces.first)
  }

  package static func sha256(_ bytes: Data) -> Data {
    var digest = Data(count: 32)
    digest.withUnsafeMutableBytes { target in
      guard let start = target.bindMemory(to: UInt8.self).baseAddress else { return }
      bytes.withCTLSBytes { uls_tls_sha256($0, start) }
    }
    return digest
  }

  /// SHA-256 of the certificate's SubjectPublicKeyInfo: what pins are compared with.
  package static func pin(of certificate: Data) -> Data? {
    part(.keyInfo, of: certificate).map(sha256)
  }
}

extension CertificateParts.Part {
  fileprivate var number: uls_tls_part {
    switch self {
    case .keyInfo: ULS_TLS_PART_KEY_INFO
    case .commonName: ULS_TLS_PART_COMMON_NAME
    case .organization: ULS_TLS_PART_ORGANIZATION
    case .subject: ULS_TLS_PART_SUBJECT
    case .issuer: ULS_TLS_PART_ISSUER
    case .serialNumber: ULS_TLS_PART_SERIAL
    case .tlsFeature: ULS_TLS_PART_TLS_FEATURE
    }
  }
}
