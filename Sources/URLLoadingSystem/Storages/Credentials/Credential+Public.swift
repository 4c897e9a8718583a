import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules

extension Credential {
  /// Converts an app's credential for the engine. Public properties are read, since a subclass may override them.
  init(_ credential: URLCredential) {
    let proof: Proof
    if let user = credential.user {
      proof = .password(user: user, password: credential.password ?? "")
    } else if let identity = credential.identity {
      let intermediates = credential.certificates.compactMap { $0 as? SecCertificate }
      proof = .identity(
        chain: ([identity.certificate] + intermediates).map(\.derRepresentation), privateKey: identity.privateKeyDER)
    } else {
      proof = .trust
    }
    self.init(proof, persistence: Persistence(rawValue: credential.persistence.rawValue) ?? .none, native: credential)
  }
}

extension URLCredential {
  /// Converts the engine's credential: the app's own object if it came from one; otherwise a password credential, or nil if it isn't one.
  static func make(_ credential: Credential) -> URLCredential? {
    if let native = credential.native as? URLCredential { return native }
    guard let login = credential.login else { return nil }
    return URLCredential(
      user: login.user, password: login.password, persistence: Persistence(rawValue: credential.persistence.rawValue) ?? .none)
  }
}

extension URLCredential {
  /// Whether this is a trust credential for exactly the presented certificates: a credential kept from another server must not accept them.
  func vouches(for presented: SecTrust) -> Bool {
    if case .trust(let trust) = proof { trust == presented } else { false }
  }

  /// The certificates and key to present to a server that asks for a client certificate; nil if the credential has no identity.
  var clientIdentity: ClientIdentity? {
    guard let identity else { return nil }
    // The credential's own intermediates are used; those that came with the identity only if the credential has none.
    let given = certificates.compactMap { $0 as? SecCertificate }
    let authorities = (given.isEmpty ? identity.intermediates : given).filter { $0 != identity.certificate }
    return ClientIdentity(chain: ([identity.certificate] + authorities).map(\.derRepresentation), privateKey: identity.privateKeyDER)
  }
}
