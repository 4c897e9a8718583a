import Foundation

/// The cookies of one storage and the rules of RFC 6265, 5.3 and 5.4, for taking and giving them.
///
/// A value; time comes in. Cookies lie by the domain they are for, so that a lookup reads only the host's and its parents' shelves.
struct CookieJar {
  /// What makes a cookie replace another (RFC 6265, 5.3, step 11).
  private struct Key: Hashable {
    let name: String
    let domain: String
    let path: String

    init(_ cookie: HTTPCookie) {
      name = cookie.name
      domain = cookie.domain
      path = cookie.path
    }
  }

  private struct Stored {
    let cookie: HTTPCookie
    let storedAt: Date
    /// Grows with each new cookie; a replaced one keeps its number, as its creation time counts on.
    let number: UInt64
  }

  /// RFC 6265, 6.1 asks for 50 and 3000 at least.
  private static let maximumPerDomain = 180
  private static let maximumCount = 3000

  private var shelves: [String: [Key: Stored]] = [:]
  private var count = 0
  private var nextNumber: UInt64 = 0

  /// Every cookie that hasn't ended, oldest first.
  func all(now: Date) -> [HTTPCookie] {
    shelves.values.flatMap(\.values).filter { !Self.hasEnded($0.cookie, now) }.sorted { $0.number < $1.number }.map(\.cookie)
  }

  /// The cookies to send to `url`: the longest path first, then the oldest (RFC 6265, 5.4, step 2).
  func cookies(for url: CookieURL, now: Date) -> [HTTPCookie] {
    var found: [Stored] = []
    for name in Self.shelfNames(url.host) {
      guard let shelf = shelves[name] else { continue }
      found.append(contentsOf: shelf.values.filter { $0.cookie.attributes.covers(url) && !Self.hasEnded($0.cookie, now) })
    }
    found.sort {
      let (left, right) = ($0.cookie.path.utf8.count, $1.cookie.path.utf8.count)
      return left != right ? left > right : $0.number < $1.number
    }
    return found.map(\.cookie)
  }

  /// Stores `cookie` in place of its like; one that has ended only removes its like. Answers whether anything changed.
  mutating func set(_ cookie: HTTPCookie, now: Date) -> Bool {
    if Self.hasEnded(cookie, now) { return remove(cookie) }
    let key = Key(cookie)
    let name = Self.shelfName(cookie.domain)
    let former = shelves[name]?[key]
    if former == nil {
      makeRoom(on: name, now)
      count += 1
      nextNumber += 1
    }
    shelves[name, default: [:]][key] = Stored(cookie: cookie, storedAt: now, number: former?.number ?? nextNumber)
    return true
  }

  /// Stores what `url` sent, or refuses it. Answers whether anything changed.
  mutating func set(_ cookie: HTTPCookie, from url: CookieURL, now: Date) -> Bool {
    mayBeSet(cookie, by: url) && set(cookie, now: now)
  }

  /// Removes the cookie with the same name, domain and path; answers whether there was one.
  mutating func remove(_ cookie: HTTPCookie) -> Bool {
    let name = Self.shelfName(cookie.domain)
    guard shelves[name]?.removeValue(forKey: Key(cookie)) != nil else { return false }
    count -= 1
    if shelves[name]?.isEmpty == true { shelves[name] = nil }
    return true
  }

  /// Removes the cookies stored after `date`; answers whether there were any.
  mutating func removeAll(storedAfter date: Date) -> Bool {
    removeAll { $0.storedAt > date }
  }

  private mutating func removeAll(where isDropped: (Stored) -> Bool) -> Bool {
    let before = count
    shelves = shelves.mapValues { $0.filter { !isDropped($0.value) } }.filter { !$0.value.isEmpty }
    count = shelves.values.reduce(0) { $0 + $1.count }
    return count != before
  }

  private func mayBeSet(_ cookie: HTTPCookie, by url: CookieURL) -> Bool {
    // RFC 6265, 5.3, step 6: only for itself and for domains it lies in.
    guard CookieRules.host(url.host, isCoveredBy: cookie.domain) else { return false }
    // RFC 6265, 5.3, step 5: not for everybody's domain, unless that is the host itself.
    let domain = cookie.domain.hasPrefix(".") ? String(cookie.domain.dropFirst()) : cookie.domain
    guard !cookie.domain.hasPrefix(".") || domain == url.host || !CookieRules.isPublicSuffix(domain) else { return false }
    // RFC 6265bis, 5.7: a name with this prefix promises how the cookie was set.
    let name = cookie.name.lowercased()
    if name.hasPrefix("__secure-"), !cookie.isSecure { return false }
    if name.hasPrefix("__host-"), !cookie.isSecure || cookie.path != "/" || cookie.domain != url.host { return false }
    guard !url.isSecure else { return true }
    return !cookie.isSecure && !shadowsSecureCookie(cookie)
  }

  /// Whether a secure cookie of the same name would be hidden by `cookie`, which came over an insecure connection (RFC 6265bis, 5.7).
  private func shadowsSecureCookie(_ cookie: HTTPCookie) -> Bool {
    let domain = Self.shelfName(cookie.domain)
    return shelves.contains { name, shelf in
      (name == domain || name.hasSuffix("." + domain) || domain.hasSuffix("." + name))
        && shelf.values.contains {
          $0.cookie.isSecure && $0.cookie.name == cookie.name && CookieRules.path(cookie.path, isCoveredBy: $0.cookie.path)
        }
    }
  }

  /// Drops what has ended and, if that isn't enough, what was stored longest ago.
  private mutating func makeRoom(on name: String, _ now: Date) {
    guard count >= Self.maximumCount || (shelves[name]?.count ?? 0) >= Self.maximumPerDomain else { return }
    _ = removeAll { Self.hasEnded($0.cookie, now) }
    if let shelf = shelves[name], shelf.count >= Self.maximumPerDomain, let oldest = shelf.values.min(by: Self.isOlder) {
      _ = remove(oldest.cookie)
    }
    if count >= Self.maximumCount, let oldest = shelves.values.flatMap(\.values).min(by: Self.isOlder) { _ = remove(oldest.cookie) }
  }

  private static func isOlder(_ left: Stored, _ right: Stored) -> Bool {
    left.storedAt != right.storedAt ? left.storedAt < right.storedAt : left.number < right.number
  }

  private static func hasEnded(_ cookie: HTTPCookie, _ now: Date) -> Bool {
    cookie.expiresDate.map { $0 <= now } ?? false
  }

  private static func shelfName(_ domain: String) -> String { domain.hasPrefix(".") ? String(domain.dropFirst()) : domain }

  /// The host and every domain it lies in.
  private static func shelfNames(_ host: String) -> [String] {
    var names = [host]
    var rest = host[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      names.append(String(rest))
    }
    return names
  }
}
