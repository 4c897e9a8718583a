import Testing

@testable import HTTPTransport

@Suite struct YieldDecisionTests {
  /// How often it is tried in `times` chances, with the same result each time.
  private func tries(_ times: Int, wasUseful: Bool, duration: Int64 = 100, _ decision: inout YieldDecision) -> Int {
    (0..<times).count { _ in
      guard decision.tries() else { return false }
      decision.tried(wasUseful, duration: duration)
      return true
    }
  }

  @Test func whatIsOfUseIsTriedEachTime() {
    var decision = YieldDecision()
    #expect(tries(1000, wasUseful: true, &decision) == 1000)
  }

  @Test func whatIsOfNoUseIsTriedEverMoreRarely() {
    var decision = YieldDecision()
    #expect(tries(2, wasUseful: false, &decision) == 2)
    #expect(tries(1000, wasUseful: false, &decision) < 12)
    // Once in a while it is, whatever was before.
    #expect(tries(10 * YieldDecision.longestPause, wasUseful: false, &decision) >= 9)
  }

  @Test func useMakesUpForAllThatWasOfNone() {
    var decision = YieldDecision()
    _ = tries(5000, wasUseful: false, &decision)
    while !decision.tries() {}
    decision.tried(true, duration: 100)
    #expect(tries(100, wasUseful: true, &decision) == 100)
  }

  @Test func processorThatOthersWantIsLeftToThemForLong() {
    var decision = YieldDecision()
    decision.tried(true, duration: YieldDecision.patience + 1)
    #expect(tries(YieldDecision.longestPause, wasUseful: true, &decision) == 0)
    #expect(tries(1, wasUseful: true, &decision) == 1)
  }
}
