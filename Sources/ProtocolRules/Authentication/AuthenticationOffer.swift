import LoadingModel

/// One way to authenticate that a response offers.
package struct AuthenticationOffer: Sendable {
  package let field: AuthenticateField
  package let space: ProtectionSpace
  /// The parsed challenge of a Digest offer; nil for other schemes.
  package let digest: DigestChallenge?

  package var method: AuthenticationMethod { space.method }

  /// The schemes that a 401 or 407 of `peer` offers, strongest first: Negotiate, NTLM, Digest (its algorithms by strength), Basic. Other schemes,
  /// such as Bearer, are left to the app.
  package static func all(from peer: ProtectionSpace.Peer, at origin: Origin, in head: ResponseHead) -> [AuthenticationOffer] {
    let offers = AuthenticateField.all(peer.challengeField, in: head.headers).compactMap { AuthenticationOffer($0, peer, origin) }
    // `sorted` is stable: among equals the server's order is kept (RFC 9110, 11.6.1 leaves the choice to the client).
    return offers.sorted { $0.strength > $1.strength }
  }

  /// The longest realm in bytes. An offer with a longer one is ignored: such a realm identifies nothing, and would be kept for each protection
  /// space.
  private static let realmLimit = 4096

  private init?(_ field: AuthenticateField, _ peer: ProtectionSpace.Peer, _ origin: Origin) {
    guard (field.realm?.utf8.count ?? 0) <= AuthenticationOffer.realmLimit else { return nil }
    var digest: DigestChallenge?
    let method: AuthenticationMethod
    switch field.scheme {
    case "negotiate": method = .negotiate
    case "ntlm": method = .ntlm
    case "digest":
      guard let challenge = DigestChallenge(field) else { return nil }
      method = .digest
      digest = challenge
    case "basic": method = .basic
    default: return nil
    }
    self.field = field
    self.digest = digest
    space = ProtectionSpace(peer, origin, realm: method.isSessionLevel ? nil : field.realm, method: method)
  }

  private var strength: Int { method.strength + (digest?.algorithm.rawValue ?? 0) }
}

extension AuthenticationMethod {
  /// How little an eavesdropper learns of the password: a higher number is stronger. The steps of 10 leave room for Digest's algorithms.
  package var strength: Int {
    switch self {
    case .negotiate: 30
    case .ntlm: 20
    case .digest: 10
    case .basic, .clientCertificate, .serverTrust, .login: 0
    }
  }
}

extension ProtectionSpace.Peer {
  /// The status code with which this peer demands authentication (RFC 9110, 15.5.2 and 15.5.8).
  package var status: Int {
    switch self {
    case .server: 401
    case .proxy: 407
    }
  }

  /// The field with this peer's challenges (RFC 9110, 11.6.1, 11.7.1).
  package var challengeField: String {
    switch self {
    case .server: "WWW-Authenticate"
    case .proxy: "Proxy-Authenticate"
    }
  }

  /// The request field that answers this peer's challenge (RFC 9110, 11.6.2, 11.7.2).
  package var authorizationField: String {
    switch self {
    case .server: "Authorization"
    case .proxy: "Proxy-Authorization"
    }
  }

  /// The field that this peer adds to a response after a successful authentication (RFC 9110, 11.6.3, 11.7.3).
  package var informationField: String {
    switch self {
    case .server: "Authentication-Info"
    case .proxy: "Proxy-Authentication-Info"
    }
  }
}
