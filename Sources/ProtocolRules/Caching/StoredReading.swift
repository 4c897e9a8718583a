import Foundation
import LoadingModel

/// What the head of a stored response says about caching: parsed once, however often the response is used.
package final class StoredReading: Sendable {
  /// Keeps the reading of one head. Copies of a stored response share the slot; a response with another head or another time of receipt needs a
  /// new one.
  package final class Slot: Sendable {
    private let kept = Mutex<StoredReading?>(nil)

    package init() {}

    fileprivate func reading(of stored: StoredFacts) -> StoredReading {
      kept.withLock { kept in
        if let kept { return kept }
        let reading = StoredReading(stored)
        kept = reading
        return reading
      }
    }
  }

  package let control: CacheControl
  /// When the origin generated the response: see `StoredFacts.date`.
  package let date: Date
  /// The response's age in seconds when it was received, as its field `Age` states.
  package let statedAge: Double
  /// The freshness lifetime in seconds (RFC 9111, 4.2.1).
  package let lifetime: Double

  fileprivate init(_ stored: StoredFacts) {
    control = CacheControl(stored.head.headers)
    date = stored.date
    statedAge = FreshnessRules.statedAge(stored.head)
    lifetime = FreshnessRules.lifetime(stored, control: control)
  }
}

extension StoredFacts {
  package var reading: StoredReading { slot.reading(of: self) }
}
