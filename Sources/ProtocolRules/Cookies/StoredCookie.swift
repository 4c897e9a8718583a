import Foundation

/// A cookie as a jar keeps it.
package final class StoredCookie: Sendable {
  package let cookie: Cookie
  /// When a cookie of this name, domain and path was first stored: a replaced one keeps its age (RFC 6265bis, 5.7, step 23).
  package let created: Date
  /// When this value was stored.
  package let stored: Date
  /// Orders cookies created at the same moment.
  package let number: Int64
  /// `name=value`, as the `Cookie` field has it.
  package let pair: String
  // What each look-up asks, without a copy of the whole cookie.
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

  /// Whether it may be sent to `url`, whose host has been found to fit (RFC 6265bis, 5.8.3).
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

/// What makes a cookie replace another (RFC 6265bis, 5.7, step 23; the partition besides).
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
  /// Only if it wasn't stored later than `upTo`: by another process, say.
  case remove(CookieKey, upTo: Date)
  case removeAll(storedAfter: Date)
}
