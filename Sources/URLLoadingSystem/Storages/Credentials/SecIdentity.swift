import Foundation
import HTTPTransport

/// A certificate and the private key that belongs to it: a client authenticates itself to a server with them. Immutable.
///
/// Answer a challenge of `NSURLAuthenticationMethodClientCertificate` with it: `URLCredential(identity:certificates:persistence:)`. On
/// Apple's platforms identities come from the keychain or from `SecPKCS12Import`; the latter is in the product `Security`. The initialisers
/// here are additions.
public final class SecIdentity: Hashable, Sendable {
  package let certificate: SecCertificate
  /// The private key in DER. It is never archived, described or compared.
  package let privateKeyDER: Data
  /// Certificates of authorities that came with the identity, nearest first.
  package let intermediates: [SecCertificate]

  package init(certificate: SecCertificate, privateKeyDER: Data, intermediates: [SecCertificate] = []) {
    self.certificate = certificate
    self.privateKeyDER = privateKeyDER
    self.intermediates = intermediates
  }

  private init?(_ identity: ClientIdentity?) {
    guard let identity, let first = identity.chain.first else { return nil }
    certificate = SecCertificate(derRepresentation: first)
    privateKeyDER = identity.privateKey
    intermediates = identity.chain.dropFirst().map { SecCertificate(derRepresentation: $0) }
  }

  /// The identity in a PKCS #12 archive (`.p12`, `.pfx`); an addition to Apple's API.
  ///
  /// - Parameters:
  ///   - archive: The file's bytes. Certificates of authorities in it are presented to servers too.
  ///   - passphrase: The passphrase by which the archive is encrypted; empty if it isn't.
  /// - Returns: nil if the archive can't be read with this passphrase, or holds no key with its certificate.
  public convenience init?(pkcs12 archive: Data, passphrase: String) {
    self.init(ClientIdentity.open(pkcs12: archive, passphrase: passphrase))
  }

  /// The identity in PEM, as servers and tools on Linux keep it; an addition to Apple's API.
  ///
  /// - Parameters:
  ///   - pem: Certificates, the client's own first and those of authorities after it.
  ///   - key: The private key (PKCS #8, PKCS #1 or SEC 1); nil if it is in `pem`.
  ///   - passphrase: What the key is encrypted with; nil if it isn't.
  /// - Returns: nil if there is no certificate or no key that can be read.
  public convenience init?(pem: Data, key: Data? = nil, passphrase: String? = nil) {
    self.init(ClientIdentity.open(pem: pem, key: key, passphrase: passphrase))
  }

  /// Whether both identities have the same certificate.
  public static func == (lhs: SecIdentity, rhs: SecIdentity) -> Bool { lhs.certificate == rhs.certificate }

  /// Hashes the certificate.
  public func hash(into hasher: inout Hasher) { hasher.combine(certificate) }
}

extension SecIdentity: CustomReflectable {
  /// Shows the certificate only, so that dumps and logs never hold the private key.
  public var customMirror: Mirror { Mirror(self, children: ["certificate": certificate]) }
}
