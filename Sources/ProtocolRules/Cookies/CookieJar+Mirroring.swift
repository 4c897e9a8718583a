import Foundation

/// How a jar in memory follows the one on disk, which other processes change as well.
extension CookieJar {
  /// Takes what the disk holds in place of what it held; cookies of this process alone stay.
  ///
  /// - Returns: Whether the jar changed.
  package mutating func mirror(_ persistent: [StoredCookie], now: Date) -> Bool {
    var before: [CookieKey: Entry] = [:]
    for entry in buckets.values.joined() where entry.stored.cookie.expires != nil { before[entry.stored.key] = entry }
    let gone = Set(before.keys).subtracting(persistent.map(\.key))
    var isChanged = !takeAll { $0.stored.cookie.expires != nil && gone.contains($0.stored.key) }.isEmpty
    for stored in persistent where !stored.cookie.hasEnded(now) {
      // A damaged row may hold any number.
      nextNumber = max(nextNumber, min(stored.number, .max / 2) + 1)
      let own = before[stored.key] ?? entry(stored.key, on: stored.cookie.bareDomain)
      if let own, own.stored.cookie.expires == nil, own.stored.stored >= stored.stored { continue }
      if let own, own.stored.stored == stored.stored, own.stored.cookie == stored.cookie { continue }
      place(stored, used: own?.used ?? stored.stored)
      isChanged = true
    }
    return isChanged
  }

  /// Makes changes again that were made before the disk was read and hadn't got there.
  package mutating func replay(_ changes: [CookieChange]) {
    for change in changes {
      switch change {
      case .put(let stored): place(stored, used: stored.stored)
      case .remove(let key, let upTo):
        let bucket = key.domain.hasPrefix(".") ? String(key.domain.dropFirst()) : key.domain
        // One of this process alone isn't from the disk: if it was to go, it is gone.
        guard let entry = entry(key, on: bucket), entry.stored.cookie.expires != nil, entry.stored.stored <= upTo else { continue }
        _ = take(key, from: bucket)
      case .removeAll(let date): _ = takeAll { $0.stored.stored > date }
      }
    }
  }
}
