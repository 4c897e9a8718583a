import Foundation
import LoadingModel

/// How long a response is fresh and how old it is (RFC 9111, 4.2). Seconds.
package struct Freshness: Sendable, Hashable {
  package var lifetime: Double
  package var age: Double

  package var isFresh: Bool { lifetime > age }
  /// Seconds since the response ceased to be fresh; 0 while it is.
  package var staleness: Double { max(0, age - lifetime) }
}

package enum FreshnessRules {
  /// Lifetimes that the server didn't state end after a week: a file untouched for ten years isn't good for another one.
  package static let longestGuess = 604_800.0

  package static func freshness(_ stored: StoredFacts, now: Date) -> Freshness {
    Freshness(lifetime: stored.reading.lifetime, age: age(stored, now: now))
  }

  /// RFC 9111, 4.2.1: max-age, or else Expires minus Date, or else a guess. `s-maxage` is for shared caches.
  package static func lifetime(_ stored: StoredFacts, control: CacheControl) -> Double {
    explicitLifetime(stored, control: control) ?? guessedLifetime(stored, control: control) ?? 0
  }

  /// Seconds of life the server gave; nil if it gave none.
  package static func explicitLifetime(_ stored: StoredFacts, control: CacheControl) -> Double? {
    if let maxAge = control.maxAge { return Double(maxAge) }
    let expires = stored.head.headers.all("Expires")
    guard let value = expires.first else { return nil }
    // 4.2.1: several values mean the first or stale; 5.3: invalid formats, "especially the value "0"", lie in the past.
    guard expires.count == 1, let end = HTTPDate.parse(value, now: stored.responseTime) else { return 0 }
    return max(0, end.timeIntervalSince(stored.date))
  }

  /// RFC 9111, 4.2.2: a tenth of the time since the last modification; nil where guessing isn't allowed or there is nothing to go by.
  package static func guessedLifetime(_ stored: StoredFacts, control: CacheControl) -> Double? {
    guard isHeuristicallyCacheable(stored.head.status) || control.isPublic else { return nil }
    guard let modified = stored.head.headers.first("Last-Modified").flatMap({ HTTPDate.parse($0, now: stored.responseTime) }) else {
      return nil
    }
    return min(max(0, stored.date.timeIntervalSince(modified) / 10), longestGuess)
  }

  /// RFC 9111, 4.2.3, with the conservative maximum of both ways to the initial age.
  package static func age(_ stored: StoredFacts, now: Date) -> Double {
    let reading = stored.reading
    let apparentAge = max(0, stored.responseTime.timeIntervalSince(reading.date))
    let responseDelay = max(0, stored.responseTime.timeIntervalSince(stored.requestTime))
    let correctedAge = reading.statedAge + responseDelay
    // A clock that was set back makes nothing younger.
    let residentTime = max(0, now.timeIntervalSince(stored.responseTime))
    return max(apparentAge, correctedAge) + residentTime
  }

  /// An age beyond every lifetime: RFC 9111, 1.2.2 takes it for a number that is too large.
  static let beyondLife = 2_147_483_648.0

  /// RFC 9111, 5.1: of a list, the first member counts; an invalid value is ignored. One with parameters names an age that can't be told for
  /// certain, and the response counts as stale.
  static func statedAge(_ head: ResponseHead) -> Double {
    guard let value = head.headers.first("Age") else { return 0 }
    let first = value[..<(value.firstIndex(of: ",") ?? value.endIndex)].trimmingSpaces()
    if first.utf8.contains(UInt8(ascii: ";")) { return beyondLife }
    return CacheControl.seconds(digits: first).map(Double.init) ?? 0
  }

  /// RFC 9110, 15.1.
  static func isHeuristicallyCacheable(_ status: Int) -> Bool {
    switch status {
    case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
    default: false
    }
  }
}
