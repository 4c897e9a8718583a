import Foundation

/// Whether a transfer begins.
package enum DiscretionDecision: Sendable, Equatable {
  case begins
  /// Until the conditions change, but no longer than to this moment.
  case waits(reason: String, until: Date)
}

/// When discretionary transfers begin (`URLSessionConfiguration.isDiscretionary`). All others begin at once, also without a network: the
/// session waits for connectivity itself, and a server on this machine needs none.
package enum DiscretionRules {
  /// Seconds that a transfer waits for better conditions at most.
  package static let longestWait = 6.0 * 3600

  /// - Parameters:
  ///   - waitingSince: Since when the transfer may begin as far as its app is concerned.
  ///   - conditions: Asked for discretionary transfers alone: batteries answer slowly.
  package static func decide(
    isDiscretionary: Bool, waitingSince: Date, conditions: @autoclosure () -> SystemConditions, now: Date
  ) -> DiscretionDecision {
    guard isDiscretionary, let reason = obstacle(conditions()) else { return .begins }
    // A beginning in the future is that of a clock that was set back.
    let end = min(waitingSince, now).addingTimeInterval(longestWait)
    return now < end ? .waits(reason: reason, until: end) : .begins
  }

  /// nil if nothing that is known speaks against it.
  private static func obstacle(_ conditions: SystemConditions) -> String? {
    if conditions.hasNetwork == false { return "no network" }
    if conditions.isOnMains == false { return "on battery" }
    if conditions.isMetered == true { return "the network is metered" }
    if conditions.isBusy == true { return "the machine is busy" }
    return nil
  }
}
