import Foundation
import URLLoadingSystem

// `nonisolated(unsafe)`: `NSString` isn't Sendable, but each of these constants is a string that never changes.

/// Option of `SecPKCS12Import`: the passphrase, a string.
nonisolated(unsafe) public let kSecImportExportPassphrase: CFString = "passphrase"
/// In the result of `SecPKCS12Import`: the `SecIdentity`.
nonisolated(unsafe) public let kSecImportItemIdentity: CFString = "identity"
/// In the result of `SecPKCS12Import`: an array of `SecCertificate`, the identity's own first.
nonisolated(unsafe) public let kSecImportItemCertChain: CFString = "chain"
/// In the result of `SecPKCS12Import`: a `SecTrust` of the chain.
nonisolated(unsafe) public let kSecImportItemTrust: CFString = "trust"
/// Key for an identifier of the private key. `SecPKCS12Import` doesn't set it here.
nonisolated(unsafe) public let kSecImportItemKeyID: CFString = "keyid"
/// In the result of `SecPKCS12Import`: the item's name, which is the certificate's subject summary.
nonisolated(unsafe) public let kSecImportItemLabel: CFString = "label"

/// Reads the identity in a PKCS #12 archive. It isn't added to a keychain: there is none.
///
/// - Parameters:
///   - archive: The bytes of a `.p12` or `.pfx` file.
///   - options: The dictionary with the passphrase under `kSecImportExportPassphrase`.
///   - items: Receives an array with one dictionary, whose keys are the `kSecImportItem…` constants.
/// - Returns: `errSecSuccess`; `errSecDecode` for an empty archive; `errSecAuthFailed` if the archive can't be read with the passphrase: BoringSSL
///   doesn't distinguish a wrong passphrase from a broken archive.
public func SecPKCS12Import(_ archive: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>) -> OSStatus {
  let passphrase = options[kSecImportExportPassphrase as String] as? String ?? ""
  guard archive.length > 0 else { return errSecDecode }
  guard let identity = SecIdentity(pkcs12: archive as Data, passphrase: passphrase) else { return errSecAuthFailed }
  let chain = [identity.certificate] + identity.intermediates
  var trust: SecTrust?
  _ = SecTrustCreateWithCertificates(chain as NSArray, SecPolicyCreateBasicX509(), &trust)
  var item: [String: Any] = [
    kSecImportItemIdentity as String: identity, kSecImportItemCertChain as String: chain,
    kSecImportItemLabel as String: SecCertificateCopySubjectSummary(identity.certificate) ?? "",
  ]
  item[kSecImportItemTrust as String] = trust
  items.pointee = [item] as NSArray
  return errSecSuccess
}

/// Gets the identity's certificate.
@discardableResult
public func SecIdentityCopyCertificate(_ identity: SecIdentity, _ certificate: UnsafeMutablePointer<SecCertificate?>) -> OSStatus {
  certificate.pointee = identity.certificate
  return errSecSuccess
}
