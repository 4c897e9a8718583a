import Foundation
import LoadingModel

/// The cookies of one storage, and the rules of RFC 6265bis, 5.7 and 5.8, for accepting and sending them.
///
/// A value without a clock: callers pass the time in. Cookies are grouped by the domain they are for (`buckets`), so that a look-up reads only
/// the groups of the host and its parent domains.
package struct CookieJar: Sendable {
  /// Cookies of one domain. RFC 6265bis, 6.1 asks for 50 of a domain and 3000 in all at least; 180 is what Apple's and Chromium's stores keep.
  package static let maximumPerDomain = 180
  package static let maximumCount = 3000
  /// Cookies that are taken of one response, so that a flood of them takes little time. curl takes 50.
  package static let maximumPerResponse = 180

  struct Entry: Sendable {
    let stored: StoredCookie
    /// When this process last stored or sent the cookie; the least recently used is removed when the jar is full.
    var used: Date
  }

  var buckets: [String: [Entry]] = [:]
  /// How many domains of `buckets` have this hash (`DomainHash`). Most hosts have no cookies, which the hash shows without creating a string.
  private var shelvesByHash: [UInt64: Int] = [:]
  package internal(set) var count = 0
  /// How many secure cookies have this name.
  private var secureByName: [String: Int] = [:]
  /// No cookie in `buckets` ends before this.
  private var earliestEnd = Date.distantFuture
  var nextNumber: Int64 = 1

  package init() {}

  // MARK: looking up

  /// Whether there may be cookies for `host`. False, the common case, is found by hash alone, without creating a string.
  package func mayHold(_ host: String) -> Bool {
    count > 0 && DomainHash.anySuffix(of: host) { shelvesByHash[$0] != nil }
  }

  /// Every cookie that hasn't expired, oldest first.
  package func all(now: Date) -> [StoredCookie] {
    buckets.values.joined().lazy.map(\.stored).filter { !$0.cookie.hasEnded(now) }.sorted { $0.isOlder(than: $1) }
  }

  /// The cookies to send to `url`: the longest path first, then the oldest (RFC 6265bis, 5.8.3, step 2).
  ///
  /// - Parameter party: Evaluated only if a cookie has the attribute SameSite.
  package mutating func cookies(
    for url: CookieURL, partition: String? = nil, now: Date, party: () -> SameSiteContext = { .firstParty }
  ) -> [StoredCookie] {
    guard count > 0 else { return [] }
    var found: [StoredCookie] = []
    var knownParty: SameSiteContext?
    let host = url.host
    DomainHash.forEachSuffix(of: host) { hash, suffix in
      // The part behind the final dot of an absolute name is empty and isn't a domain.
      guard !suffix.isEmpty, shelvesByHash[hash] != nil, let index = buckets.index(forKey: String(suffix)) else { return }
      let isParent = suffix.startIndex != host.startIndex
      // RFC 6265bis, 5.1.3: a parent domain matches only if "the string is a host name (i.e., not an IP address)".
      if isParent, CookieRules.isAddress(host) { return }
      for position in buckets.values[index].indices {
        let stored = buckets.values[index][position].stored
        if isParent, stored.isHostOnly { continue }
        guard stored.isReady(for: url, partition: partition, now: now) else { continue }
        if let sameSite = stored.cookie.sameSite {
          let asking = knownParty ?? party()
          knownParty = asking
          guard asking.mayBeSent(sameSite) else { continue }
        }
        buckets.values[index][position].used = now
        found.append(stored)
      }
    }
    if found.count > 1 { found.sort(by: CookieJar.isSentBefore) }
    return found
  }

  /// The value of the `Cookie` field; nil if there are no cookies to send.
  ///
  /// - Parameter brought: Cookies that the request already has.
  package mutating func field(
    for url: CookieURL, partition: String? = nil, beside brought: [AttachedCookie] = [], now: Date,
    party: () -> SameSiteContext = { .firstParty }
  ) -> String? {
    let cookies = cookies(for: url, partition: partition, now: now, party: party)
    guard brought.isEmpty else { return CookieRules.field(cookies, beside: brought) }
    guard let first = cookies.first else { return nil }
    guard cookies.count > 1 else { return first.pair }
    var field = ""
    field.reserveCapacity(cookies.reduce(0) { $0 + $1.pair.utf8.count + 2 })
    for (index, cookie) in cookies.enumerated() {
      if index > 0 { field += "; " }
      field += cookie.pair
    }
    return field
  }

  private static func isSentBefore(_ left: StoredCookie, _ right: StoredCookie) -> Bool {
    let (leftLength, rightLength) = (left.pathLength, right.pathLength)
    return leftLength != rightLength ? leftLength > rightLength : left.isOlder(than: right)
  }

  // MARK: cookies of one domain

  func entry(_ key: CookieKey, on bucket: String) -> Entry? {
    buckets[bucket]?.first { $0.stored.key == key }
  }

  mutating func place(_ stored: StoredCookie, used: Date) {
    let bucket = stored.cookie.bareDomain
    let entry = Entry(stored: stored, used: used)
    if let expires = stored.cookie.expires { earliestEnd = min(earliestEnd, expires) }
    noteSecure(stored, by: 1)
    if let position = buckets[bucket]?.firstIndex(where: { $0.stored.key == stored.key }) {
      if let former = buckets[bucket]?[position].stored { noteSecure(former, by: -1) }
      buckets[bucket]?[position] = entry
      return
    }
    if buckets[bucket] == nil { shelvesByHash[DomainHash.of(bucket), default: 0] += 1 }
    buckets[bucket, default: []].append(entry)
    count += 1
  }

  mutating func take(_ key: CookieKey, from bucket: String) -> Entry? {
    guard let position = buckets[bucket]?.firstIndex(where: { $0.stored.key == key }) else { return nil }
    count -= 1
    let entry = buckets[bucket]?.remove(at: position)
    if let entry { noteSecure(entry.stored, by: -1) }
    if buckets[bucket]?.isEmpty == true { removeShelf(bucket) }
    return entry
  }

  /// Counts a secure cookie that has been added (1) or removed (-1).
  private mutating func noteSecure(_ stored: StoredCookie, by change: Int) {
    guard stored.cookie.isSecure else { return }
    let left = (secureByName[stored.cookie.name] ?? 0) + change
    secureByName[stored.cookie.name] = left > 0 ? left : nil
  }

  /// Whether any domain has a secure cookie of this name.
  func hasSecure(_ name: String) -> Bool { secureByName[name] != nil }

  private mutating func removeShelf(_ bucket: String) {
    buckets[bucket] = nil
    let hash = DomainHash.of(bucket)
    let left = (shelvesByHash[hash] ?? 1) - 1
    shelvesByHash[hash] = left > 0 ? left : nil
  }

  /// Removes every entry for which `isDropped` is true, and returns the removed cookies.
  mutating func takeAll(where isDropped: (Entry) -> Bool) -> [StoredCookie] {
    var taken: [StoredCookie] = []
    for (bucket, entries) in buckets {
      let dropped = entries.filter(isDropped)
      guard !dropped.isEmpty else { continue }
      taken += dropped.map(\.stored)
      for entry in dropped { noteSecure(entry.stored, by: -1) }
      count -= dropped.count
      let kept = entries.filter { !isDropped($0) }
      if kept.isEmpty { removeShelf(bucket) } else { buckets[bucket] = kept }
    }
    return taken
  }

  /// Removes the cookies that have ended, and returns them. The jar is read only if there may be one, because a full jar asks for each new cookie.
  mutating func takeEnded(_ now: Date) -> [StoredCookie] {
    guard earliestEnd <= now else { return [] }
    let taken = takeAll { $0.stored.cookie.hasEnded(now) }
    earliestEnd = buckets.values.joined().lazy.compactMap(\.stored.cookie.expires).min() ?? .distantFuture
    return taken
  }
}

/// A hash of a domain (FNV-1a, last byte first): one walk over a host's bytes yields the hashes of all domains that the host lies in.
enum DomainHash {
  private static let start: UInt64 = 0xCBF2_9CE4_8422_2325
  private static let factor: UInt64 = 0x100_0000_01B3

  static func of(_ domain: String) -> UInt64 {
    domain.utf8.reversed().reduce(start) { ($0 ^ UInt64($1)) &* factor }
  }

  /// Whether `isWanted` is true for the hash of `host` or of one of the domains that it lies in.
  static func anySuffix(of host: String, _ isWanted: (UInt64) -> Bool) -> Bool {
    func search(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
      var hash = start
      for byte in bytes.reversed() {
        if byte == UInt8(ascii: "."), isWanted(hash) { return true }
        hash = (hash ^ UInt64(byte)) &* factor
      }
      return isWanted(hash)
    }
    return host.utf8.withContiguousStorageIfAvailable(search) ?? Array(host.utf8).withUnsafeBufferPointer(search)
  }

  /// Calls `body` with the hash and the name of each domain that `host` lies in: the top-level domain first, the host itself last.
  static func forEachSuffix(of host: String, _ body: (UInt64, Substring) -> Void) {
    let bytes = host.utf8
    var hash = start
    var index = bytes.endIndex
    while index > bytes.startIndex {
      let following = index
      index = bytes.index(before: index)
      let byte = bytes[index]
      if byte == UInt8(ascii: ".") { body(hash, host[following...]) }
      hash = (hash ^ UInt64(byte)) &* factor
    }
    body(hash, host[...])
  }
}
