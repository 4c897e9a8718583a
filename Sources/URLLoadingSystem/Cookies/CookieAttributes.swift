import Foundation

/// What a cookie consists of. `HTTPCookie` wraps one.
struct CookieAttributes: Hashable, Sendable {
  var name: String
  var value: String
  /// Lower case. With a leading dot it covers the hosts below.
  var domain: String
  var path: String
  var version = 0
  var expires: Date?
  var isSessionOnly: Bool
  var isSecure = false
  var isHTTPOnly = false
  var comment: String?
  var commentURL: URL?
  /// nil for every port.
  var ports: [Int]?
  var sameSite: HTTPCookieStringPolicy?
  var isSetByJavaScript = false

  /// Whether `url` is one that the cookie may be sent to, its age aside (RFC 6265, 5.4).
  func covers(_ url: CookieURL) -> Bool {
    (url.isSecure || !isSecure) && CookieRules.host(url.host, isCoveredBy: domain) && CookieRules.path(url.path, isCoveredBy: path)
      && (ports?.contains(url.port) ?? true)
  }
}

/// The parts of a URL that decide about cookies.
struct CookieURL {
  /// Lower case.
  let host: String
  let port: Int
  /// Percent-encoded, as it is sent; never empty.
  let path: String
  let isSecure: Bool

  /// nil if the URL has no host.
  init?(_ url: URL?) {
    guard let url, let host = url.host?.lowercased(), !host.isEmpty else { return nil }
    self.host = host
    let scheme = url.scheme?.lowercased() ?? ""
    isSecure = scheme == "https" || scheme == "wss"
    port = url.port ?? (isSecure ? 443 : 80)
    let path = url.path(percentEncoded: true)
    self.path = path.isEmpty ? "/" : path
  }
}
