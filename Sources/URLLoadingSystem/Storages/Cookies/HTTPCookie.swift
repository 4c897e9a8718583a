import Foundation
import LoadingModel
import ProtocolRules

/// A cookie (RFC 6265). Immutable.
open class HTTPCookie: NSObject, @unchecked Sendable {
  // @unchecked: every stored property is an immutable value; subclasses answer for what they add.

  /// Which cookies a storage takes.
  public enum AcceptPolicy: UInt, Sendable {
    /// All cookies.
    case always = 0
    /// No cookies.
    case never = 1
    /// Only cookies of the same site as the request's `mainDocumentURL`.
    case onlyFromMainDocumentDomain = 2
  }

  let attributes: Cookie
  let created: Date

  init(_ attributes: Cookie, created: Date) {
    self.attributes = attributes
    self.created = created
    super.init()
  }

  convenience init(_ stored: StoredCookie) { self.init(stored.cookie, created: stored.created) }

  /// A cookie from its properties. Name, value, path, and domain or origin URL are required: nil without them, or if one of them contains
  /// control characters. Where a string is asked for, any `StringProtocol` will do, such as a `Substring`.
  public init?(properties: [HTTPCookiePropertyKey: Any]) {
    let seconds = Cookie.text(properties[.created]).flatMap { Double($0) } ?? properties[.created] as? Double
    created = seconds.flatMap { Cookie.bounded(Date(timeIntervalSinceReferenceDate: $0)) } ?? Date()
    guard let attributes = Cookie(properties: properties, now: created) else { return nil }
    self.attributes = attributes
    super.init()
  }

  /// The header field that sends `cookies`: one entry, "Cookie"; empty without cookies.
  open class func requestHeaderFields(with cookies: [HTTPCookie]) -> [String: String] {
    guard !cookies.isEmpty else { return [:] }
    return ["Cookie": cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")]
  }

  /// Parses the cookies that a response sets.
  ///
  /// Fields that aren't valid cookies are left out. Whether the URL may set a cookie for the domain it names is decided by the storage.
  ///
  /// - Parameters:
  ///   - headerFields: The response's fields. Names compare without case; several cookies may be joined by commas or line breaks.
  ///   - URL: Where the response came from.
  open class func cookies(withResponseHeaderFields headerFields: [String: String], for URL: URL) -> [HTTPCookie] {
    let joined = headerFields.filter { $0.key.equalsIgnoringCase("Set-Cookie") }.sorted { $0.key < $1.key }
    return cookies(setCookieFields: joined.flatMap { SetCookieField.split($0.value) }.map { String($0) }, for: URL, now: Date())
  }

  /// Parses cookies from single `Set-Cookie` field values, none of which was joined with another by a comma.
  package static func cookies(setCookieFields fields: [String], for url: URL, now: Date) -> [HTTPCookie] {
    guard let origin = CookieURL(url) else { return [] }
    return fields.compactMap { field in
      SetCookieField.parse(field, from: origin, now: now).map { HTTPCookie($0, created: now) }
    }
  }

  /// Properties from which `init(properties:)` makes the same cookie.
  open var properties: [HTTPCookiePropertyKey: Any]? { attributes.properties(created: created) }

  /// The cookie's version: 0, or 1 for a cookie of RFC 2965.
  open var version: Int { attributes.version }

  /// The cookie's name.
  open var name: String { attributes.name }

  /// The cookie's value, quotes included.
  open var value: String { attributes.value }

  /// When the cookie ends; nil if it ends with the session.
  open var expiresDate: Date? { attributes.expires }

  /// Whether the cookie ends with the session.
  open var isSessionOnly: Bool { attributes.isSessionOnly }

  /// The host that gets the cookie; with a leading dot, the hosts below it as well.
  open var domain: String { attributes.domain }

  /// The path below which the cookie is sent.
  open var path: String { attributes.path }

  /// Whether the cookie is sent over secure connections only.
  open var isSecure: Bool { attributes.isSecure }

  /// Whether the cookie is hidden from scripts (`HttpOnly`).
  open var isHTTPOnly: Bool { attributes.isHTTPOnly }

  /// The purpose of the cookie, as the site describes it (RFC 2965); nil without one.
  open var comment: String? { attributes.comment }

  /// The URL of a page that describes the cookie's purpose (RFC 2965); nil without one.
  open var commentURL: URL? { attributes.commentURL }

  /// The ports to which the cookie is sent; nil for all.
  open var portList: [NSNumber]? { attributes.ports?.map { NSNumber(value: $0) } }

  /// Which requests of other sites send the cookie (`SameSite`); nil if the cookie doesn't limit that.
  open var sameSitePolicy: HTTPCookieStringPolicy? { attributes.sameSite.map { HTTPCookieStringPolicy(rawValue: $0) } }

  /// Whether both cookies have equal properties, apart from the time at which they were made.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HTTPCookie else { return false }
    return self === other || attributes == other.attributes
  }

  /// A hash of the properties that `isEqual(_:)` compares: equal objects have equal hashes.
  open override var hash: Int { attributes.hashValue }

  /// The cookie in the form of Darwin's `NSHTTPCookie`, a property a line. It holds the value: not for logs.
  open override var description: String {
    let lines = [
      "version:\(version)", "name:\(name)", "value:\(value)", "expiresDate:'\(Self.text(expiresDate))'", "created:'\(Self.text(created))'",
      "sessionOnly:\(Self.text(isSessionOnly))", "domain:\(domain)", "partition:\(attributes.partition ?? "none")",
      "sameSite:\(attributes.sameSite ?? "none")", "path:\(path)", "isSecure:\(Self.text(isSecure))",
    ]
    let end = " path:\"\(path)\" isSecure:\(Self.text(isSecure))\(isHTTPOnly ? " isHTTPOnly: YES" : "")>"
    return "<NSHTTPCookie\n" + lines.map { "\t\($0)\n" }.joined() + end
  }

  private static func text(_ flag: Bool) -> String { flag ? "TRUE" : "FALSE" }

  private static func text(_ date: Date?) -> String { date?.description ?? "(null)" }
}
