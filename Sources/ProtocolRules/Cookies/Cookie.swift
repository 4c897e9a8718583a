import Foundation

/// What a cookie consists of. The public `HTTPCookie` wraps one.
package struct Cookie: Hashable, Sendable {
  package var name: String
  package var value: String
  /// The domain in lower case. With a leading dot the cookie is for the hosts below the domain, too; without one, for that host alone.
  package var domain: String
  package var path: String
  package var version = 0
  /// When the cookie expires; nil for a cookie that ends with the process.
  package var expires: Date?
  package var isSessionOnly: Bool
  package var isSecure = false
  package var isHTTPOnly = false
  package var comment: String?
  package var commentURL: URL?
  /// The ports that the cookie is sent to; nil for every port.
  package var ports: [Int]?
  /// The attribute SameSite in lower case: "lax", "strict", or what an app chose; nil if the cookie has no restriction.
  package var sameSite: String?
  package var isSetByJavaScript = false
  /// The partition that the cookie was set in; nil for the common one. Requests of one partition don't get the cookies of another.
  package var partition: String?

  package init(name: String, value: String, domain: String, path: String, expires: Date? = nil) {
    self.name = name
    self.value = value
    self.domain = domain
    self.path = path
    self.expires = expires
    isSessionOnly = expires == nil
  }

  /// Whether only this host gets the cookie, and no host below it.
  package var isHostOnly: Bool { domain.utf8.first != UInt8(ascii: ".") }

  /// The domain without its leading dot.
  package var bareDomain: String { isHostOnly ? domain : String(domain.dropFirst()) }

  package func hasEnded(_ now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}
