import Foundation

/// Whether a transfer begins now or is put off.
package enum DiscretionDecision: Sendable, Equatable {
  case begins
  /// The transfer waits until the conditions change, but at most until this moment.
  case waits(reason: String, until: Date)
}

/// When discretionary transfers begin (`URLSessionConfiguration.isDiscretionary`). All others begin at once, even without a network: their tasks wait
/// for connectivity themselves, and a server on this machine needs no network.
package enum DiscretionRules {
  /// Maximum number of seconds that a transfer waits for better conditions.
  package static let longestWait = 6.0 * 3600

  /// - Parameters:
  ///   - waitingSince: Since when the transfer may begin as far as its app is concerned.
  ///   - conditions: Evaluated for discretionary transfers only, because reading them may be slow.
  package static func decide(
    isDiscretionary: Bool, waitingSince: Date, conditions: @autoclosure () -> SystemConditions, now: Date
  ) -> DiscretionDecision {
    guard isDiscretionary, let reason = obstacle(conditions()) else { return .begins }
    // A `waitingSince` in the future comes from a clock that was set back since.
    let end = min(waitingSince, now).addingTimeInterval(longestWait)
    return now < end ? .waits(reason: reason, until: end) : .begins
  }

  /// Which of the conditions puts off the transfer; nil if none does. Unknown conditions don't.
  private static func obstacle(_ conditions: SystemConditions) -> String? {
    if conditions.hasNetwork == false { return "no network" }
    if conditions.isOnMains == false { return "on battery" }
    if conditions.isMetered == true { return "the network is metered" }
    if conditions.isBusy == true { return "the machine is busy" }
    return nil
  }
}
