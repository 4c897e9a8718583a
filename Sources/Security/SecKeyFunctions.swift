import Foundation
import HTTPTransport
import URLLoadingSystem

// `nonisolated(unsafe)`: `NSString` isn't Sendable, but each of these constants is a string that never changes.

/// Key of `SecKeyCopyAttributes`: the kind of key, such as `kSecAttrKeyTypeRSA`.
nonisolated(unsafe) public let kSecAttrKeyType: CFString = "type"
/// A key of RSA.
nonisolated(unsafe) public let kSecAttrKeyTypeRSA: CFString = "42"
/// A key of an elliptic curve.
nonisolated(unsafe) public let kSecAttrKeyTypeEC: CFString = "73"
/// A key of an elliptic curve over a prime field.
nonisolated(unsafe) public let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"
/// Key of `SecKeyCopyAttributes`: public or private.
nonisolated(unsafe) public let kSecAttrKeyClass: CFString = "kcls"
/// A public key.
nonisolated(unsafe) public let kSecAttrKeyClassPublic: CFString = "0"
/// A private key.
nonisolated(unsafe) public let kSecAttrKeyClassPrivate: CFString = "1"
/// Key of `SecKeyCopyAttributes`: the length in bits, a number.
nonisolated(unsafe) public let kSecAttrKeySizeInBits: CFString = "bsiz"
/// Key of `SecKeyCopyAttributes`: the effective length in bits, a number.
nonisolated(unsafe) public let kSecAttrEffectiveKeySize: CFString = "esiz"

/// The key's bytes: PKCS #1 for RSA, X9.63 (0x04, x, y) for an elliptic curve.
///
/// Pins of the `SubjectPublicKeyInfo` need the header in front of these bytes, as on Apple's platforms.
///
/// - Parameter error: Receives the reason if there are none, as for other kinds of keys.
public func SecKeyCopyExternalRepresentation(_ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> CFData? {
  if let bytes = CertificateParts.publicKey(key.derRepresentation)?.bytes { return bytes as NSData }
  error?.pointee = Unmanaged.passRetained(
    NSError(
      domain: NSOSStatusErrorDomain, code: Int(errSecUnimplemented),
      userInfo: [NSLocalizedDescriptionKey: "only keys of RSA and of elliptic curves have an external representation"]))
  return nil
}

/// Kind, class and size of the key; nil if it can't be read.
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
