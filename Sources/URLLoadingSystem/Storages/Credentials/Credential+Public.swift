import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules

extension Credential {
  /// The engine's view of an app's credential. The public properties are asked: a subclass may override them.
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
  /// The public object of a password credential; of any other only if it was one before.
  static func make(_ credential: Credential) -> URLCredential? {
    if let native = credential.native as? URLCredential { return native }
    guard let login = credential.login else { return nil }
    return URLCredential(
      user: login.user, password: login.password, persistence: Persistence(rawValue: credential.persistence.rawValue) ?? .none)
  }
}

extension URLCredential {
  /// Whether it is a trust, and in these very certificates: one kept from another server accepts nothing.
  func vouches(for presented: SecTrust) -> Bool {
    if case .trust(let trust) = proof { trust == presented } else { false }
  }

  /// What it presents to a server that asks for a client certificate; nil if it has no identity.
  var clientIdentity: ClientIdentity? {
    guard let identity else { return nil }
    // The credential's certificates count; those that came with the identity fill in where it has none.
    let given = certificates.compactMap { $0 as? SecCertificate }
    let authorities = (given.isEmpty ? identity.intermediates : given).filter { $0 != identity.certificate }
    return ClientIdentity(chain: ([identity.certificate] + authorities).map(\.derRepresentation), privateKey: identity.privateKeyDER)
  }
}
