import BackgroundTransfers
import Foundation
import Testing

@testable import BackgroundDaemon

/// When discretionary transfers wait, and for how long.
@Suite struct DiscretionPausesTests {
  private static let start = Date(timeIntervalSince1970: 1_000_000)

  private func obstacle(
    isDiscretionary: Bool = true, waiting: Double = 0, knows: Bool = true, _ conditions: SystemConditions = SystemConditions(),
    later: Double = 60, scale: Double = 1
  ) -> TransferScheduler.PutOff? {
    let now = Self.start + later
    return DiscretionPauses(started: Self.start, scale: scale).obstacle(
      isDiscretionary: isDiscretionary, waitingSince: now - waiting, knowsConditions: knows, conditions: conditions, now: now)
  }

  private static let bad: [(SystemConditions, String)] = [
    (SystemConditions(isOnMains: false), "on battery"), (SystemConditions(isMetered: true), "the network is metered"),
    (SystemConditions(isBusy: true), "the machine is busy"), (SystemConditions(hasNetwork: false), "no network"),
  ]

  @Test(arguments: bad) func discretionaryTransferWaitsForBetterConditions(conditions: SystemConditions, reason: String) {
    let putOff = obstacle(conditions)
    #expect(putOff == TransferScheduler.PutOff(reason: reason, until: Self.start + 360))
  }

  @Test(arguments: bad) func otherTransfersWaitForNothing(conditions: SystemConditions, reason: String) {
    #expect(obstacle(isDiscretionary: false, knows: false, conditions, later: 0) == nil)
  }

  @Test func goodConditionsAreNoObstacle() {
    #expect(obstacle(SystemConditions(isOnMains: true, isMetered: false, isBusy: false, hasNetwork: true)) == nil)
  }

  @Test func transferThatHasWaitedLongEnoughBegins() {
    #expect(obstacle(waiting: 7 * 3600, SystemConditions(isOnMains: false)) == nil)
    #expect(obstacle(waiting: 6 * 3600 - 100, SystemConditions(isOnMains: false))?.until == Self.start + 160)
  }

  @Test(arguments: [(0.0, true), (4.9, true), (5, false)]) func daemonThatHasJustStartedAsksTheSystemFirst(later: Double, waits: Bool) {
    let putOff = obstacle(knows: false, later: later)
    #expect((putOff != nil) == waits)
    #expect(putOff.map { $0.until == Self.start + later + 1 } ?? true)
  }

  @Test func whatTheSystemHasSaidCountsAtOnce() {
    #expect(obstacle(knows: true, later: 0) == nil)
    #expect(obstacle(knows: true, SystemConditions(isOnMains: false), later: 0)?.reason == "on battery")
  }

  @Test func pausesAreScaledAndNeverNothing() {
    #expect(obstacle(SystemConditions(isBusy: true), scale: 0.1)?.until == Self.start + 90)
    #expect(obstacle(SystemConditions(isBusy: true), scale: 0)?.until == Self.start + 60.01)
    #expect(obstacle(knows: false, later: 0, scale: 0)?.until == Self.start + 0.01)
  }
}
