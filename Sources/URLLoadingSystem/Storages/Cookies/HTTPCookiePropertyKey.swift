/// The name of a property of a cookie in `HTTPCookie.init(properties:)` and `HTTPCookie.properties`.
public struct HTTPCookiePropertyKey: Hashable, RawRepresentable, Sendable {
  /// The property's name, such as "Domain".
  public let rawValue: String

  /// A key with the given name, such as "Domain".
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// A key with the given name, such as "Domain".
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The cookie's name. A string; required.
  public static let name = HTTPCookiePropertyKey("Name")
  /// The cookie's value. A string; required.
  public static let value = HTTPCookiePropertyKey("Value")
  /// The URL that set the cookie. A `URL` or a string; required if there is no `domain`.
  public static let originURL = HTTPCookiePropertyKey("OriginURL")
  /// The cookie's version: "0", or "1" for a cookie of RFC 2965. Default: "0".
  public static let version = HTTPCookiePropertyKey("Version")
  /// The host that gets the cookie; with a leading dot, the hosts below it as well. A string; required if there is no `originURL`.
  public static let domain = HTTPCookiePropertyKey("Domain")
  /// The path below which the cookie is sent. A string; required.
  public static let path = HTTPCookiePropertyKey("Path")
  /// Whether the cookie is sent over secure connections only: any value but "FALSE" and 0 means yes.
  public static let secure = HTTPCookiePropertyKey("Secure")
  /// When the cookie expires. A `Date` or a string. Version 0 only.
  public static let expires = HTTPCookiePropertyKey("Expires")
  /// The purpose of the cookie, as the site describes it. A string.
  public static let comment = HTTPCookiePropertyKey("Comment")
  /// The page that describes the cookie's purpose. A `URL` or a string.
  public static let commentURL = HTTPCookiePropertyKey("CommentURL")
  /// "TRUE" if the cookie ends with the session. Default: "TRUE" for version 1 without `maximumAge`.
  public static let discard = HTTPCookiePropertyKey("Discard")
  /// Seconds until the cookie expires. A string of an integer. Version 1 only.
  public static let maximumAge = HTTPCookiePropertyKey("Max-Age")
  /// The ports to which the cookie is sent. A string of numbers with commas between them; of version 0 the first counts.
  public static let port = HTTPCookiePropertyKey("Port")
  /// Which requests from other sites send the cookie (`SameSite`). An `HTTPCookieStringPolicy` or its string.
  public static let sameSitePolicy = HTTPCookiePropertyKey("SameSite")
  /// Whether a script set the cookie: any value but "FALSE" and 0 means yes.
  public static let setByJavaScript = HTTPCookiePropertyKey("SetInJavaScript")

  /// Whether the cookie is hidden from scripts. Apple has no public constant for it.
  static let httpOnly = HTTPCookiePropertyKey("HttpOnly")
  /// The partition the cookie was set in. Apple has no public constant for it.
  static let partition = HTTPCookiePropertyKey("StoragePartition")
  /// When the cookie was made, seconds since the reference date. Apple has no public constant for it.
  static let created = HTTPCookiePropertyKey("Created")
}
