import Foundation
import Testing

@testable import BackgroundTransfers

@Suite struct DiscretionRulesTests {
  private static let bad: [(SystemConditions, String)] = [
    (SystemConditions(hasNetwork: false), "no network"),
    (SystemConditions(isOnMains: false), "on battery"),
    (SystemConditions(isMetered: true), "the network is metered"),
    (SystemConditions(isBusy: true), "the machine is busy"),
    (SystemConditions(isOnMains: false, isMetered: true, isBusy: true, hasNetwork: true), "on battery"),
  ]

  private func decide(_ conditions: SystemConditions, since: Date = .noon, now: Date = .noon, _ isDiscretionary: Bool = true)
    -> DiscretionDecision
  {
    DiscretionRules.decide(isDiscretionary: isDiscretionary, waitingSince: since, conditions: conditions, now: now)
  }

  @Test(arguments: bad) func discretionaryTransfersWaitSixHoursAtMost(_ conditions: SystemConditions, _ reason: String) {
    #expect(decide(conditions) == .waits(reason: reason, until: .noon(21_600)))
    #expect(decide(conditions, now: .noon(21_599)) == .waits(reason: reason, until: .noon(21_600)))
    #expect(decide(conditions, now: .noon(21_600)) == .begins)
    #expect(decide(conditions, since: .noon(1e9)) == .waits(reason: reason, until: .noon(21_600)))
  }

  @Test(arguments: bad) func otherTransfersBeginAtOnce(_ conditions: SystemConditions, _ reason: String) {
    #expect(decide(conditions, false) == .begins)
  }

  @Test(arguments: [SystemConditions(), SystemConditions(isOnMains: true, isMetered: false, isBusy: false, hasNetwork: true)])
  func whatIsUnknownIsNoObstacle(_ conditions: SystemConditions) { #expect(decide(conditions) == .begins) }
}
