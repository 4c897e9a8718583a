import LoadingModel

/// A parsed Digest challenge (RFC 7616, 3.3), also one in the older form of RFC 2617 or RFC 2069.
package struct DigestChallenge: Sendable, Hashable {
  /// The quality of protection (`qop`): what is hashed besides the credential (RFC 7616, 3.4.3).
  package enum Quality: Sendable, Hashable {
    /// No `qop`, as in RFC 2069: no counter, no client nonce.
    case none
    case auth
    /// `auth-int`: the request's body is hashed, too.
    case authInt
  }

  package var realm: String?
  package var nonce: String
  package var opaque: String?
  package var algorithm: DigestAlgorithm
  /// A `-sess` algorithm: the credential's hash covers the nonces as well.
  package var isSession: Bool
  /// The parameter `algorithm` as the server spelled it, to be sent back; nil if it was missing, which means MD5.
  package var algorithmName: String?
  package var quality: Quality
  /// `stale=true`: the credential was right, but the nonce has expired.
  package var isStale: Bool
  /// `userhash=true`: the user name is to be sent as a hash.
  package var hashesUser: Bool
  /// `charset=UTF-8`: the server reads user names as UTF-8.
  package var isUTF8: Bool
  /// The URIs of the protection space (`domain`); empty for the whole server.
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
    // RFC 7616, 3.3: "If the algorithm is not understood, the challenge should be ignored".
    default: return nil
    }
  }

  /// The `qop` to use of those offered: `auth` if possible, because it needs no hash of the body, which a stream can't provide in advance; nil if
  /// none is known.
  private static func quality(_ options: String?) -> Quality? {
    guard let options, !options.trimmingSpaces().isEmpty else { return Quality.none }
    let offered = FieldCursor.tokens(of: options).map { $0.lowercased() }
    if offered.contains("auth") { return .auth }
    // RFC 7616, 3.3: "Unrecognized options MUST be ignored."
    return offered.contains("auth-int") ? .authInt : nil
  }
}
