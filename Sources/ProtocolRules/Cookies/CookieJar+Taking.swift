import Foundation

/// How cookies come to a jar. For all functions: what they answer is what a persistent store must change as well; nothing if the jar
/// stayed as it was.
extension CookieJar {
  /// Stores `cookie` in place of its like, as the app asks; one that has ended only removes its like.
  package mutating func set(_ cookie: Cookie, now: Date) -> [CookieChange] {
    let (key, bucket) = (CookieKey(cookie), cookie.bareDomain)
    if cookie.hasEnded(now) { return remove(cookie, now: now) }
    let former = entry(key, on: bucket)?.stored
    var changes = former == nil ? makeRoom(on: bucket, now) : []
    // Never before the one that it replaces, though the clock may have been set back: the later one is told by its moment.
    let moment = former.map { max(now, $0.stored) } ?? now
    let stored = StoredCookie(cookie, created: former?.created ?? now, stored: moment, number: former?.number ?? nextNumber)
    if former == nil { nextNumber += 1 }
    place(stored, used: now)
    if let former, former.cookie.expires != nil, cookie.expires == nil { changes.append(.remove(key, upTo: former.stored)) }
    changes.append(.put(stored))
    return changes
  }

  /// Stores what `url` set, as far as the rules and `acceptance` allow.
  package mutating func receive(
    _ cookies: [Cookie], from url: CookieURL, party: SameSiteContext, acceptance: CookieAcceptPolicy, suffixes: some PublicSuffixes,
    now: Date
  ) -> [CookieChange] {
    switch acceptance {
    case .never: return []
    case .always: break
    case .onlyFromMainDocumentDomain:
      // As Apple's stores do: a third party that was accepted before may set further cookies.
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
    // The clock may have been set back since the cookie was stored.
    return [.remove(key, upTo: max(now, taken.stored.stored))]
  }

  /// Removes the cookies stored after `date`.
  package mutating func removeAll(storedAfter date: Date) -> [CookieChange] {
    takeAll { $0.stored.stored > date }.isEmpty ? [] : [.removeAll(storedAfter: date)]
  }

  private mutating func hasCookies(of url: CookieURL, now: Date) -> Bool { !cookies(for: url, now: now).isEmpty }

  /// Drops what has ended and, if that isn't enough, what was used longest ago: insecure cookies of a full domain first (5.7, the end).
  private mutating func makeRoom(on bucket: String, _ now: Date) -> [CookieChange] {
    guard count >= CookieJar.maximumCount || (buckets[bucket]?.count ?? 0) >= CookieJar.maximumPerDomain else { return [] }
    var dropped = takeAll { $0.stored.cookie.hasEnded(now) }
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
