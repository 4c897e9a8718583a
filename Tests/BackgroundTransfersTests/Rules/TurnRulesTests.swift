import Testing

@testable import BackgroundTransfers

@Suite struct TurnRulesTests {
  private func line(_ running: Int, _ waiting: (Int64, Double)...) -> TurnRules.Line {
    TurnRules.Line(running: running, waiting: waiting.map { TurnRules.Candidate(identifier: $0.0, priority: $0.1) }[...])
  }

  @Test func theSessionWithTheFewestUnderWayIsNext() {
    let lines = [line(2, (1, 1), (2, 1)), line(0, (3, 0), (4, 0), (5, 0)), line(1, (6, 0.5))]
    #expect(TurnRules.order(lines, limit: 9) == [3, 6, 4, 1, 5, 2])
    #expect(TurnRules.order(lines, limit: 2) == [3, 6])
  }

  @Test func amongEqualsPriorityDecidesAndThenAge() {
    #expect(TurnRules.order([line(0, (9, 0.5)), line(0, (8, 0.5)), line(0, (7, 1))], limit: 9) == [7, 8, 9])
  }

  @Test func amongEqualPrioritiesTheFewestFailedAttemptsComeFirst() {
    let lines = ([(9, 0), (8, 2), (7, 1)] as [(Int64, Int)]).map { TurnRules.Candidate(identifier: $0, priority: 0.5, attempts: $1) }
    #expect(TurnRules.order(lines.map { TurnRules.Line(running: 0, waiting: [$0]) }, limit: 9) == [9, 7, 8])
  }

  @Test func emptyLinesAreHarmless() {
    #expect(TurnRules.order([], limit: 3).isEmpty)
    #expect(TurnRules.order([line(0), line(1, (1, 0))], limit: 3) == [1])
    #expect(TurnRules.order([line(0, (1, 0))], limit: -1).isEmpty)
  }
}
