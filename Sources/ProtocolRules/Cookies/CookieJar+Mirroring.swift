import Foundation

/// Keeps a jar in memory in step with the store on disk, which other processes change as well.
extension CookieJar {
  /// Replaces the jar's persistent cookies by those on disk. Session cookies, which only this process has, stay.
  ///
  /// - Returns: Whether the jar changed.
  package mutating func mirror(_ persistent: [StoredCookie], now: Date) -> Bool {
    var before: [CookieKey: Entry] = [:]
    for entry in buckets.values.joined() where entry.stored.cookie.expires != nil { before[entry.stored.key] = entry }
    let gone = Set(before.keys).subtracting(persistent.map(\.key))
    var isChanged = !takeAll { $0.stored.cookie.expires != nil && gone.contains($0.stored.key) }.isEmpty
    for stored in persistent where !stored.cookie.hasEnded(now) {
      // The number is bounded, because a damaged row may hold any.
      nextNumber = max(nextNumber, min(stored.number, .max / 2) + 1)
      let own = before[stored.key] ?? entry(stored.key, on: stored.cookie.bareDomain)
      if let own, own.stored.cookie.expires == nil, own.stored.stored >= stored.stored { continue }
      if let own, own.stored.stored == stored.stored, own.stored.cookie == stored.cookie { continue }
      place(stored, used: own?.used ?? stored.stored)
      isChanged = true
    }
    return isChanged
  }

  /// Applies changes again that were made before the disk was read but weren't on it yet.
  package mutating func replay(_ changes: [CookieChange]) {
    for change in changes {
      switch change {
      case .put(let stored): place(stored, used: stored.stored)
      case .remove(let key, let upTo):
        let bucket = key.domain.hasPrefix(".") ? String(key.domain.dropFirst()) : key.domain
        // A session cookie isn't on disk: the removal has already been applied to it, so one that is here was set afterwards.
        guard let entry = entry(key, on: bucket), entry.stored.cookie.expires != nil, entry.stored.stored <= upTo else { continue }
        _ = take(key, from: bucket)
      case .removeAll(let date): _ = takeAll { $0.stored.stored > date }
      }
    }
  }
}
