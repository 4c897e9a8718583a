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
  /// Seconds (a week): the longest lifetime that is guessed where the server states none. A tenth of the age of a ten-year-old file would be a
  /// year.
  package static let longestGuess = 604_800.0

  package static func freshness(_ stored: StoredFacts, now: Date) -> Freshness {
    Freshness(lifetime: stored.reading.lifetime, age: age(stored, now: now))
  }

  /// The freshness lifetime in seconds (RFC 9111, 4.2.1): max-age, or else Expires minus Date, or else a guess. `s-maxage` is for shared caches.
  package static func lifetime(_ stored: StoredFacts, control: CacheControl) -> Double {
    explicitLifetime(stored, control: control) ?? guessedLifetime(stored, control: control) ?? 0
  }

  /// The lifetime in seconds that the server stated by max-age or Expires; nil if it stated none.
  package static func explicitLifetime(_ stored: StoredFacts, control: CacheControl) -> Double? {
    if let maxAge = control.maxAge { return Double(maxAge) }
    let expires = stored.head.headers.all("Expires")
    guard let value = expires.first else { return nil }
    // RFC 9111, 4.2.1: of several values the first may be used, or the response taken as stale; 5.3: invalid formats, "especially the value "0"",
    // lie in the past.
    guard expires.count == 1, let end = HTTPDate.parse(value, now: stored.responseTime) else { return 0 }
    return max(0, end.timeIntervalSince(stored.date))
  }

  /// The lifetime in seconds that may be guessed (RFC 9111, 4.2.2): a tenth of the time since the last modification; nil where guessing isn't
  /// allowed or Last-Modified is missing.
  package static func guessedLifetime(_ stored: StoredFacts, control: CacheControl) -> Double? {
    guard isHeuristicallyCacheable(stored.head.status) || control.isPublic else { return nil }
    guard let modified = stored.head.headers.first("Last-Modified").flatMap({ HTTPDate.parse($0, now: stored.responseTime) }) else {
      return nil
    }
    return min(max(0, stored.date.timeIntervalSince(modified) / 10), longestGuess)
  }

  /// The age of a stored response in seconds (RFC 9111, 4.2.3): the larger of two estimates of its age at receipt, plus the time in the store.
  package static func age(_ stored: StoredFacts, now: Date) -> Double {
    let reading = stored.reading
    let apparentAge = max(0, stored.responseTime.timeIntervalSince(reading.date))
    let responseDelay = max(0, stored.responseTime.timeIntervalSince(stored.requestTime))
    let correctedAge = reading.statedAge + responseDelay
    // If the clock has been set back since the receipt, the time in the store counts as 0 rather than negative.
    let residentTime = max(0, now.timeIntervalSince(stored.responseTime))
    return max(apparentAge, correctedAge) + residentTime
  }

  /// An age in seconds beyond every lifetime, for a response that must count as stale: 2^31, which RFC 9111, 1.2.2 takes for a number that is too
  /// large.
  static let beyondLife = 2_147_483_648.0

  /// The age in seconds that the field `Age` states (RFC 9111, 5.1): of a list, the first member counts; an invalid value counts as 0. A value
  /// with parameters counts as `beyondLife`, because the age isn't certain, so that the response is stale.
  static func statedAge(_ head: ResponseHead) -> Double {
    guard let value = head.headers.first("Age") else { return 0 }
    let first = value[..<(value.firstIndex(of: ",") ?? value.endIndex)].trimmingSpaces()
    if first.utf8.contains(UInt8(ascii: ";")) { return beyondLife }
    return CacheControl.seconds(digits: first).map(Double.init) ?? 0
  }

  /// Whether a response with this status may be stored with a guessed lifetime (RFC 9110, 15.1).
  static func isHeuristicallyCacheable(_ status: Int) -> Bool {
    switch status {
    case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
    default: false
    }
  }
}
