/// The name of a property of a cookie in `HTTPCookie.init(properties:)` and `HTTPCookie.properties`.
public struct HTTPCookiePropertyKey: Hashable, RawRepresentable, Sendable {
  /// The property's name.
  public let rawValue: String

  /// A key by its name.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// A key by its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The cookie's name. A string; required.
  public static let name = HTTPCookiePropertyKey("Name")
  /// The cookie's value. A string; required.
  public static let value = HTTPCookiePropertyKey("Value")
  /// The URL that set the cookie. A `URL` or a string; required if there is no `domain`.
  public static let originURL = HTTPCookiePropertyKey("OriginURL")
  /// "0" or "1". Default: "0".
  public static let version = HTTPCookiePropertyKey("Version")
  /// The host that gets the cookie; with a leading dot, the hosts below it as well. A string; required if there is no `originURL`.
  public static let domain = HTTPCookiePropertyKey("Domain")
  /// The path below which the cookie is sent. A string; required.
  public static let path = HTTPCookiePropertyKey("Path")
  /// Anything, to send the cookie over secure connections only.
  public static let secure = HTTPCookiePropertyKey("Secure")
  /// When the cookie ends. A `Date` or a string. Version 0 only.
  public static let expires = HTTPCookiePropertyKey("Expires")
  /// What the cookie is for. A string.
  public static let comment = HTTPCookiePropertyKey("Comment")
  /// Where to read what the cookie is for. A `URL` or a string.
  public static let commentURL = HTTPCookiePropertyKey("CommentURL")
  /// "TRUE" if the cookie ends with the session. Default: "TRUE" for version 1 without `maximumAge`.
  public static let discard = HTTPCookiePropertyKey("Discard")
  /// Seconds until the cookie ends. A string of an integer. Version 1 only.
  public static let maximumAge = HTTPCookiePropertyKey("Max-Age")
  /// The ports to which the cookie is sent. A string of numbers with commas between them; of version 0 the first counts.
  public static let port = HTTPCookiePropertyKey("Port")
  /// Whether the cookie is sent with requests from other sites. An `HTTPCookieStringPolicy` or its string.
  public static let sameSitePolicy = HTTPCookiePropertyKey("SameSite")
  /// Anything, if a script set the cookie.
  public static let setByJavaScript = HTTPCookiePropertyKey("SetInJavaScript")

  /// Hides the cookie from scripts. Apple has no public constant for it.
  static let httpOnly = HTTPCookiePropertyKey("HttpOnly")
  /// The partition the cookie was set in. Apple has no public constant for it.
  static let partition = HTTPCookiePropertyKey("StoragePartition")
  /// When the cookie was made, seconds since the reference date. Apple has no public constant for it.
  static let created = HTTPCookiePropertyKey("Created")
}
