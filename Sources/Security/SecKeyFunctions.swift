import Foundation
import HTTPTransport
import URLLoadingSystem

// `nonisolated(unsafe)`: `NSString` isn't Sendable, but each of these constants is a string that never changes.

/// Key of `SecKeyCopyAttributes`: the kind of key, such as `kSecAttrKeyTypeRSA`.
nonisolated(unsafe) public let kSecAttrKeyType: CFString = "type"
/// Value of `kSecAttrKeyType`: an RSA key.
nonisolated(unsafe) public let kSecAttrKeyTypeRSA: CFString = "42"
/// Value of `kSecAttrKeyType`: a key of an elliptic curve.
nonisolated(unsafe) public let kSecAttrKeyTypeEC: CFString = "73"
/// Value of `kSecAttrKeyType`: a key of an elliptic curve over a prime field.
nonisolated(unsafe) public let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"
/// Key of `SecKeyCopyAttributes`: whether it is a public or private key, a `kSecAttrKeyClass…` constant.
nonisolated(unsafe) public let kSecAttrKeyClass: CFString = "kcls"
/// Value of `kSecAttrKeyClass`: a public key.
nonisolated(unsafe) public let kSecAttrKeyClassPublic: CFString = "0"
/// Value of `kSecAttrKeyClass`: a private key.
nonisolated(unsafe) public let kSecAttrKeyClassPrivate: CFString = "1"
/// Key of `SecKeyCopyAttributes`: the length in bits, a number.
nonisolated(unsafe) public let kSecAttrKeySizeInBits: CFString = "bsiz"
/// Key of `SecKeyCopyAttributes`: the effective length in bits, a number.
nonisolated(unsafe) public let kSecAttrEffectiveKeySize: CFString = "esiz"

/// The key's bytes: PKCS #1 for RSA, X9.63 (0x04, x, y) for an elliptic curve.
///
/// To compute the hash of a `SubjectPublicKeyInfo` for pinning, its header must be put before these bytes, as on Apple's platforms.
///
/// - Parameter error: Receives the reason if nil is returned, for kinds of keys other than these two.
public func SecKeyCopyExternalRepresentation(_ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> CFData? {
  if let bytes = CertificateParts.publicKey(key.derRepresentation)?.bytes { return bytes as NSData }
  error?.pointee = Unmanaged.passRetained(
    NSError(
      domain: NSOSStatusErrorDomain, code: Int(errSecUnimplemented),
      userInfo: [NSLocalizedDescriptionKey: "only keys of RSA and of elliptic curves have an external representation"]))
  return nil
}

/// The key's type, class and size in a dictionary; nil if the key can't be read.
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
  guard let content = CertificateParts.publicKey(key.derRepresentation) else { return nil }
  var attributes: [String: Any] = [
    kSecAttrKeyClass as String: kSecAttrKeyClassPublic, kSecAttrKeySizeInBits as String: content.bits,
    kSecAttrEffectiveKeySize as String: content.bits,
  ]
  switch content.kind {
  case .rsa: attributes[kSecAttrKeyType as String] = kSecAttrKeyTypeRSA
  case .ellipticCurve: attributes[kSecAttrKeyType as String] = kSecAttrKeyTypeECSECPrimeRandom
  case .ed25519, .other: break
  }
  return attributes as NSDictionary
}

/// The key's length in bytes, rounded up; 0 if it can't be read.
public func SecKeyGetBlockSize(_ key: SecKey) -> Int {
  ((CertificateParts.publicKey(key.derRepresentation)?.bits ?? 0) + 7) / 8
}
