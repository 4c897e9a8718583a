/// Whether a cookie is sent with requests that another site causes (RFC 6265bis, 4.1.2.7).
public struct HTTPCookieStringPolicy: Hashable, RawRepresentable, Sendable {
  /// The policy as text.
  public let rawValue: String

  /// A policy by its text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Only when the user navigates to the site from another one.
  public static let sameSiteLax = HTTPCookieStringPolicy(rawValue: "lax")
  /// Never.
  public static let sameSiteStrict = HTTPCookieStringPolicy(rawValue: "strict")
}
