import Foundation

/// Adds cookies to a jar and removes them. All functions return the changes that a persistent store must make as well; none if the jar stayed as
/// it was.
extension CookieJar {
  /// Stores `cookie` as the app asks, in place of the one with the same key; a cookie that has expired only removes that one.
  package mutating func set(_ cookie: Cookie, now: Date) -> [CookieChange] {
    let (key, bucket) = (CookieKey(cookie), cookie.bareDomain)
    if cookie.hasEnded(now) { return remove(cookie, now: now) }
    let former = entry(key, on: bucket)?.stored
    var changes = former == nil ? makeRoom(on: bucket, now) : []
    // Never before the time of the cookie that is replaced, even if the clock has been set back: stores compare the times to tell which cookie is
    // the later one.
    let moment = former.map { max(now, $0.stored) } ?? now
    let stored = StoredCookie(cookie, created: former?.created ?? now, stored: moment, number: former?.number ?? nextNumber)
    if former == nil { nextNumber += 1 }
    place(stored, used: now)
    if let former, former.cookie.expires != nil, cookie.expires == nil { changes.append(.remove(key, upTo: former.stored)) }
    changes.append(.put(stored))
    return changes
  }

  /// Stores the cookies that a response from `url` set, as far as the rules and `acceptance` allow.
  package mutating func receive(
    _ cookies: [Cookie], from url: CookieURL, party: SameSiteContext, acceptance: CookieAcceptPolicy, suffixes: some PublicSuffixes,
    now: Date
  ) -> [CookieChange] {
    switch acceptance {
    case .never: return []
    case .always: break
    case .onlyFromMainDocumentDomain:
      // Like Apple's stores: a third party of which cookies are stored already may set further ones.
      if case .thirdParty = party, !hasCookies(of: url, now: now) { return [] }
    }
    var changes: [CookieChange] = []
    for cookie in cookies {
      guard let allowed = allowed(cookie, from: url, party, suffixes, now) else { continue }
      changes += set(allowed, now: now)
    }
    return changes
  }

  /// Removes the cookie with the same name, domain and path.
  package mutating func remove(_ cookie: Cookie, now: Date) -> [CookieChange] {
    let key = CookieKey(cookie)
    guard let taken = take(key, from: cookie.bareDomain) else { return [] }
    // Not before the cookie's own time: the clock may have been set back since it was stored, and the removal must cover it.
    return [.remove(key, upTo: max(now, taken.stored.stored))]
  }

  /// Removes the cookies stored after `date`.
  package mutating func removeAll(storedAfter date: Date) -> [CookieChange] {
    takeAll { $0.stored.stored > date }.isEmpty ? [] : [.removeAll(storedAfter: date)]
  }

  private mutating func hasCookies(of url: CookieURL, now: Date) -> Bool { !cookies(for: url, now: now).isEmpty }

  /// Removes expired cookies and, if that isn't enough, the least recently used one: of a full domain an insecure one first (RFC 6265bis, 5.7,
  /// the end).
  private mutating func makeRoom(on bucket: String, _ now: Date) -> [CookieChange] {
    guard count >= CookieJar.maximumCount || (buckets[bucket]?.count ?? 0) >= CookieJar.maximumPerDomain else { return [] }
    var dropped = takeEnded(now)
    if let entries = buckets[bucket], entries.count >= CookieJar.maximumPerDomain {
      let insecure = entries.filter { !$0.stored.cookie.isSecure }
      dropped += drop((insecure.isEmpty ? entries : insecure).min(by: CookieJar.goesFirst))
    }
    if count >= CookieJar.maximumCount { dropped += drop(buckets.values.joined().min(by: CookieJar.goesFirst)) }
    return dropped.map { .remove($0.key, upTo: $0.stored) }
  }

  private mutating func drop(_ entry: Entry?) -> [StoredCookie] {
    guard let entry, let taken = take(entry.stored.key, from: entry.stored.cookie.bareDomain) else { return [] }
    return [taken.stored]
  }

  private static func goesFirst(_ left: Entry, _ right: Entry) -> Bool {
    left.used != right.used ? left.used < right.used : left.stored.isOlder(than: right.stored)
  }
}
