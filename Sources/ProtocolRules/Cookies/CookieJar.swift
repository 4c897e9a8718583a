import Foundation
import LoadingModel

/// The cookies of one storage and the rules of RFC 6265bis, 5.7 and 5.8, for taking and giving them.
///
/// A value; time comes in. Cookies are grouped by the domain they are for (`buckets`), so that a look-up reads only the host's and its
/// parents'.
package struct CookieJar: Sendable {
  /// RFC 6265bis, 6.1 asks for 50 and 3000 at least; 180 is what Apple's and Chromium's stores keep.
  package static let maximumPerDomain = 180
  package static let maximumCount = 3000

  struct Entry: Sendable {
    let stored: StoredCookie
    /// When it was last stored or sent; decides what has to go when there is no more room. Of this process alone.
    var used: Date
  }

  var buckets: [String: [Entry]] = [:]
  /// How many domains of `buckets` have this hash: most hosts have no cookies, and that is known without making a string.
  private var shelvesByHash: [UInt64: Int] = [:]
  package internal(set) var count = 0
  var nextNumber: Int64 = 1

  package init() {}

  // MARK: giving

  /// Whether there may be cookies for `host`. That there are none, the common case, costs no string.
  package func mayHold(_ host: String) -> Bool {
    count > 0 && DomainHash.anySuffix(of: host) { shelvesByHash[$0] != nil }
  }

  /// Every cookie that hasn't ended, oldest first.
  package func all(now: Date) -> [StoredCookie] {
    buckets.values.joined().lazy.map(\.stored).filter { !$0.cookie.hasEnded(now) }.sorted { $0.isOlder(than: $1) }
  }

  /// The cookies to send to `url`: the longest path first, then the oldest (5.8.3, step 2).
  ///
  /// - Parameter party: Asked only if a cookie depends on it.
  package mutating func cookies(
    for url: CookieURL, partition: String? = nil, now: Date, party: () -> SameSiteContext = { .firstParty }
  ) -> [StoredCookie] {
    guard count > 0 else { return [] }
    var found: [StoredCookie] = []
    var knownParty: SameSiteContext?
    let host = url.host
    DomainHash.forEachSuffix(of: host) { hash, suffix in
      // What is behind the dot of an absolute name is no domain.
      guard !suffix.isEmpty, shelvesByHash[hash] != nil, let index = buckets.index(forKey: String(suffix)) else { return }
      let isParent = suffix.startIndex != host.startIndex
      // "The string is a host name (i.e., not an IP address)" (5.1.3).
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
  /// - Parameter brought: Those that the request brings.
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
    if let position = buckets[bucket]?.firstIndex(where: { $0.stored.key == stored.key }) {
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
    if buckets[bucket]?.isEmpty == true { removeShelf(bucket) }
    return entry
  }

  private mutating func removeShelf(_ bucket: String) {
    buckets[bucket] = nil
    let hash = DomainHash.of(bucket)
    let left = (shelvesByHash[hash] ?? 1) - 1
    shelvesByHash[hash] = left > 0 ? left : nil
  }

  /// Removes every entry that `isDropped`, and answers which.
  mutating func takeAll(where isDropped: (Entry) -> Bool) -> [StoredCookie] {
    var taken: [StoredCookie] = []
    for (bucket, entries) in buckets {
      let dropped = entries.filter(isDropped)
      guard !dropped.isEmpty else { continue }
      taken += dropped.map(\.stored)
      count -= dropped.count
      let kept = entries.filter { !isDropped($0) }
      if kept.isEmpty { removeShelf(bucket) } else { buckets[bucket] = kept }
    }
    return taken
  }
}

/// A hash of a domain that is found for all domains a host lies in by one walk over its bytes, last byte first (FNV-1a).
enum DomainHash {
  private static let start: UInt64 = 0xCBF2_9CE4_8422_2325
  private static let factor: UInt64 = 0x100_0000_01B3

  static func of(_ domain: String) -> UInt64 {
    domain.utf8.reversed().reduce(start) { ($0 ^ UInt64($1)) &* factor }
  }

  /// Whether `isWanted` is true for one of the domains that `host` lies in.
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

  /// The top-level domain first, the host itself last.
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
