import BackgroundTransfers
import Foundation

/// What speaks against beginning a transfer now, and for how long it is put off.
struct DiscretionPauses: Sendable {
  /// Seconds until a transfer that waits for better conditions is looked at again.
  private static let conditionsPause = 300.0
  /// Seconds after its start in which the daemon waits for what the system says: a daemon that a reboot has started mustn't begin
  /// discretionary transfers because nothing is known yet.
  private static let learningTime = 5.0

  /// When the daemon has started.
  let started: Date
  /// Multiplies the pauses.
  let scale: Double

  /// - Parameters:
  ///   - waitingSince: Since when the transfer may begin as far as its app is concerned.
  ///   - knowsConditions: Whether the system has been asked about power and networks.
  func obstacle(
    isDiscretionary: Bool, waitingSince: Date, knowsConditions: Bool, conditions: @autoclosure () -> SystemConditions, now: Date
  ) -> TransferScheduler.PutOff? {
    if isDiscretionary, !knowsConditions, now < started.addingTimeInterval(DiscretionPauses.learningTime) {
      return TransferScheduler.PutOff(reason: "asks the system about power and networks", until: now.addingTimeInterval(max(0.01, scale)))
    }
    let decision = DiscretionRules.decide(
      isDiscretionary: isDiscretionary, waitingSince: waitingSince, conditions: conditions(), now: now)
    guard case .waits(let reason, let until) = decision else { return nil }
    let pause = max(0.01, DiscretionPauses.conditionsPause * scale)
    return TransferScheduler.PutOff(reason: reason, until: min(until, now.addingTimeInterval(pause)))
  }
}
