import Foundation

/// A cookie in a jar, with the times that its order and replacement depend on.
package final class StoredCookie: Sendable {
  package let cookie: Cookie
  /// When a cookie with the same key was first stored: one that replaces it keeps this time (RFC 6265bis, 5.7, step 23).
  package let created: Date
  /// When this value was stored.
  package let stored: Date
  /// A serial number, which orders cookies created at the same moment.
  package let number: Int64
  /// `name=value`, as the `Cookie` field has it.
  package let pair: String
  // Computed once, because each look-up asks for them: reading `cookie` would copy the whole struct.
  let isHostOnly: Bool
  let pathLength: Int

  package init(_ cookie: Cookie, created: Date, stored: Date, number: Int64) {
    self.cookie = cookie
    self.created = created
    self.stored = stored
    self.number = number
    pair = "\(cookie.name)=\(cookie.value)"
    isHostOnly = cookie.isHostOnly
    pathLength = cookie.path.utf8.count
  }

  /// Whether the cookie may be sent to `url`, whose host is known to match its domain (RFC 6265bis, 5.8.3).
  func isReady(for url: CookieURL, partition: String?, now: Date) -> Bool {
    if !url.isSecure, cookie.isSecure { return false }
    if let expires = cookie.expires, expires <= now { return false }
    if let ports = cookie.ports, !ports.contains(url.port) { return false }
    guard cookie.partition == partition else { return false }
    return pathLength == 1 || CookieRules.path(url.path, isCoveredBy: cookie.path)
  }

  package var key: CookieKey { CookieKey(cookie) }

  func isOlder(than other: StoredCookie) -> Bool {
    created != other.created ? created < other.created : number < other.number
  }
}

/// A stored cookie is replaced by a new one with the same key: name, domain and path (RFC 6265bis, 5.7, step 23), and the partition.
package struct CookieKey: Hashable, Sendable {
  package let name: String
  package let domain: String
  package let path: String
  package let partition: String?

  package init(_ cookie: Cookie) {
    name = cookie.name
    domain = cookie.domain
    path = cookie.path
    partition = cookie.partition
  }
}

/// A change of a jar that a persistent store must make as well.
package enum CookieChange: Sendable {
  case put(StoredCookie)
  /// Removes the cookie unless it was stored later than `upTo`, for instance by another process.
  case remove(CookieKey, upTo: Date)
  case removeAll(storedAfter: Date)
}
