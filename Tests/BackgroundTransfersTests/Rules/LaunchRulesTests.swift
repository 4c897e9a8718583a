import Foundation
import Testing

@testable import BackgroundTransfers

@Suite struct LaunchRulesTests {
  @Test func anAppIsNeededForAnAnswerAndForEventsWhenNoMoreCome() {
    func needs(_ answer: Bool, _ events: Bool, _ waiting: Bool) -> Bool {
      LaunchRules.needsApp(awaitsAnswer: answer, hasEvents: events, hasWaiting: waiting)
    }
    #expect(needs(true, false, true) && needs(false, true, false))
    #expect(!needs(false, true, true) && !needs(false, false, false))
  }

  @Test func anAppThatTakesNothingIsStartedLessAndLessOften() {
    var (history, now) = (LaunchHistory(), Date.noon)
    for delay in [60.0, 300, 1800, 7200, 86_400, 86_400, 86_400] {
      #expect(LaunchRules.decide(history, now: now) == .launches)
      history = LaunchRules.launched(history, now: now)
      #expect(history.last == now)
      let next = now.addingTimeInterval(delay)
      #expect(LaunchRules.decide(history, now: now.addingTimeInterval(delay - 1)) == .waits(until: next))
      now = next
    }
  }

  @Test func anAppThatTakesItsEventsIsStartedAtOnceTheNextTime() {
    let history = LaunchRules.launched(LaunchRules.launched(LaunchHistory(), now: .noon), now: .noon(60))
    let after = LaunchRules.tookEvents(history)
    #expect(after == LaunchHistory(failures: 0, last: .noon(60), next: nil))
    #expect(LaunchRules.decide(after, now: .noon(61)) == .launches)
    #expect(LaunchRules.launched(after, now: .noon(61)).next == .noon(121))
  }

  @Test func aClockThatWasSetBackDoesNotHoldALaunchLongerThanItsDelay() {
    let history = LaunchRules.launched(LaunchHistory(), now: .noon(1_000_000))
    #expect(LaunchRules.decide(history, now: .noon) == .waits(until: .noon(60)))
  }

  @Test(arguments: [-5, 0, 100, Int.max]) func strangeCountsAreHarmless(_ failures: Int) {
    let history = LaunchRules.launched(LaunchHistory(failures: failures), now: .noon)
    #expect((1...6).contains(history.failures) && history.next != nil)
  }
}
