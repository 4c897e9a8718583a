import Testing

@testable import URLLoadingSystem

/// Which thread a load of an app's protocol class gets.
@Suite struct ProtocolThreadDecisionTests {
  private typealias Use = ProtocolThreadDecision.Use

  private func threads(_ count: Int, loads: Int = 1, isInCall: Bool) -> [Use] {
    Array(repeating: Use(loads: loads, isInCall: isInCall), count: count)
  }

  @Test func fewLoadsHaveAThreadEach() {
    #expect(ProtocolThreadDecision.decide([]) == .new)
    #expect(ProtocolThreadDecision.decide(threads(ProtocolThreadDecision.own - 1, isInCall: false)) == .new)
  }

  @Test func threadWithoutLoadsIsUsedAgain() {
    #expect(ProtocolThreadDecision.decide(threads(2, isInCall: false) + threads(2, loads: 0, isInCall: false)) == .existing(2))
  }

  @Test func moreLoadsShareTheLeastUsedThreadWithoutACall() {
    var uses = threads(ProtocolThreadDecision.own, loads: 3, isInCall: false)
    uses[1] = Use(loads: 1, isInCall: true)
    uses[5] = Use(loads: 2, isInCall: false)
    #expect(ProtocolThreadDecision.decide(uses) == .existing(5))
  }

  @Test func blockedThreadsArentSharedBeforeTheLimit() {
    #expect(ProtocolThreadDecision.decide(threads(ProtocolThreadDecision.limit - 1, isInCall: true)) == .new)
    var uses = threads(ProtocolThreadDecision.limit, loads: 2, isInCall: true)
    uses[7].loads = 1
    #expect(ProtocolThreadDecision.decide(uses) == .existing(7))
  }
}
