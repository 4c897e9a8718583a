import LoadingModel

/// What a server's Digest challenge asks for (RFC 7616, 3.3; RFC 2617 where it says less).
package struct DigestChallenge: Sendable, Hashable {
  /// What is hashed beside the credential (3.4.3).
  package enum Quality: Sendable, Hashable {
    /// As in RFC 2069: no counter, no client nonce.
    case none
    case auth
    /// The body too.
    case authInt
  }

  package var realm: String?
  package var nonce: String
  package var opaque: String?
  package var algorithm: DigestAlgorithm
  /// A `-sess` algorithm: the credential's hash covers the nonces as well.
  package var isSession: Bool
  /// As the server spelt it; nil if it didn't, which means MD5.
  package var algorithmName: String?
  package var quality: Quality
  /// The credential was right, the nonce is too old.
  package var isStale: Bool
  /// The user name is to be sent as a hash.
  package var hashesUser: Bool
  /// The server reads user names as UTF-8.
  package var isUTF8: Bool
  /// The URIs that the challenge is for; none for the whole server.
  package var domain: [String]

  /// nil if `field` is no Digest challenge, or one that can't be answered.
  package init?(_ field: AuthenticateField) {
    guard field.scheme == "digest", let nonce = field["nonce"] else { return nil }
    guard let (algorithm, isSession) = DigestChallenge.algorithm(field["algorithm"]) else { return nil }
    guard let quality = DigestChallenge.quality(field["qop"]) else { return nil }
    realm = field.realm
    self.nonce = nonce
    opaque = field["opaque"]
    self.algorithm = algorithm
    self.isSession = isSession
    algorithmName = field["algorithm"]
    self.quality = quality
    isStale = field["stale"]?.equalsIgnoringCase("true") ?? false
    hashesUser = field["userhash"]?.equalsIgnoringCase("true") ?? false
    isUTF8 = field["charset"]?.equalsIgnoringCase("utf-8") ?? false
    domain = field["domain"].map { $0.split(separator: " ").map(String.init) } ?? []
  }

  private static func algorithm(_ name: String?) -> (DigestAlgorithm, Bool)? {
    guard let name = name?.lowercased() else { return (.md5, false) }
    switch name {
    case "md5": return (.md5, false)
    case "md5-sess": return (.md5, true)
    case "sha-256": return (.sha256, false)
    case "sha-256-sess": return (.sha256, true)
    case "sha-512-256": return (.sha512Part256, false)
    case "sha-512-256-sess": return (.sha512Part256, true)
    // 3.3: "If the algorithm is not understood, the challenge should be ignored".
    default: return nil
    }
  }

  /// Of several, plain `auth`: it needs no second look at the body, and can protect a body that is a stream.
  private static func quality(_ options: String?) -> Quality? {
    guard let options, !options.trimmingSpaces().isEmpty else { return Quality.none }
    let offered = FieldCursor.tokens(of: options).map { $0.lowercased() }
    if offered.contains("auth") { return .auth }
    // 3.3: "Unrecognized options MUST be ignored."
    return offered.contains("auth-int") ? .authInt : nil
  }
}
