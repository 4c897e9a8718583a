/// Whether a cookie is sent with requests that another site causes (RFC 6265bis, 4.1.2.7).
public struct HTTPCookieStringPolicy: Hashable, RawRepresentable, Sendable {
  /// The policy as text, such as "lax".
  public let rawValue: String

  /// A policy by its text, such as "lax".
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The cookie is sent with requests of other sites only when the user navigates to its site from there.
  public static let sameSiteLax = HTTPCookieStringPolicy(rawValue: "lax")
  /// The cookie is never sent with requests of other sites.
  public static let sameSiteStrict = HTTPCookieStringPolicy(rawValue: "strict")
}
