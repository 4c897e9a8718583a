import BackgroundTransfers
import Foundation

/// Decides whether the machine's conditions put off a transfer, and until when.
struct DiscretionPauses: Sendable {
  /// Seconds until a transfer that was put off is considered again.
  private static let conditionsPause = 300.0
  /// Seconds after the daemon's start in which discretionary transfers wait while power and networks are unknown: a daemon that a reboot has started
  /// mustn't begin them just because nothing was asked yet.
  private static let learningTime = 5.0

  /// When the daemon has started.
  let started: Date
  /// Factor for the pauses; tests shorten them.
  let scale: Double

  /// Why the transfer is put off, and until when; nil if it may begin.
  /// - Parameters:
  ///   - waitingSince: Since when the transfer may begin as far as its app is concerned.
  ///   - knowsConditions: Whether the system has been asked about power and networks.
  ///   - conditions: Read only if it is needed.
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
