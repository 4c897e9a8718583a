import ProtocolRules
import Testing

struct AddressRaceTests {
  private typealias Race = AddressRace<String>

  /// The ticket of the only wait in `actions`.
  private func ticket(_ actions: [Race.Action]) throws -> Int {
    let tickets = actions.compactMap { if case .wait(_, let ticket) = $0 { ticket } else { nil } }
    #expect(tickets.count == 1)
    return try #require(tickets.first)
  }

  @Test func familiesTakeTurnsAQuarterOfASecondApart() throws {
    var race = Race()
    var actions = race.answered(.v6, ["a", "b"])
    // More may come: it waits for its turn although there is nothing else yet.
    #expect(actions == [.attempt("a"), .wait(0.25, ticket: 1)])
    #expect(race.answered(.v4, ["1", "2", "3"]).isEmpty)
    for (index, address) in ["1", "b", "2"].enumerated() {
      actions = race.elapsed(try ticket(actions))
      #expect(actions == [.attempt(address), .wait(0.25, ticket: index + 2)])
    }
    #expect(race.elapsed(try ticket(actions)) == [.attempt("3")])
  }

  @Test func slowIPv6IsGivenFiftyMilliseconds() throws {
    var late = Race()
    let waiting = late.answered(.v4, ["1"])
    #expect(waiting == [.wait(0.05, ticket: 1)])
    #expect(late.answered(.v6, ["a"]) == [.attempt("a"), .wait(0.25, ticket: 2)])
    // The wait that is over says nothing any more.
    #expect(late.elapsed(try ticket(waiting)).isEmpty)
    var silent = Race()
    let started = silent.elapsed(try ticket(silent.answered(.v4, ["1"])))
    #expect(started == [.attempt("1"), .wait(0.25, ticket: 2)])
    #expect(silent.elapsed(2).isEmpty)
    // It comes in the end, and at once, since nothing else is planned.
    #expect(silent.answered(.v6, ["a"]) == [.attempt("a")])
  }

  @Test func familyWithoutAddressesIsNotWaitedFor() {
    var race = Race()
    #expect(race.answered(.v6, []).isEmpty)
    #expect(race.answered(.v4, ["1"]) == [.attempt("1")])
    var other = Race()
    #expect(other.answered(.v4, ["1"]) == [.wait(0.05, ticket: 1)])
    #expect(other.answered(.v6, []) == [.attempt("1")])
  }

  @Test func failureIsFollowedByTheNextAddressAtOnce() {
    var race = Race()
    _ = race.answered(.v4, ["1", "2"])
    #expect(race.answered(.v6, ["a"]) == [.attempt("a"), .wait(0.25, ticket: 2)])
    #expect(race.failed() == [.attempt("1"), .wait(0.25, ticket: 3)])
    // The wait belonged to the attempt that has failed.
    #expect(race.elapsed(2).isEmpty)
    #expect(race.failed() == [.attempt("2")])
    #expect(race.failed() == [.giveUp])
  }

  @Test func lastFailureWaitsForTheOtherFamily() {
    var race = Race()
    _ = race.answered(.v6, ["a"])
    #expect(race.failed().isEmpty)
    #expect(race.answered(.v4, ["1"]) == [.attempt("1")])
    #expect(race.elapsed(1).isEmpty)
  }

  @Test func nothingFollowsASuccess() {
    var race = Race()
    _ = race.answered(.v6, ["a", "b"])
    race.succeeded()
    #expect(race.elapsed(1).isEmpty)
    #expect(race.failed().isEmpty)
    #expect(race.answered(.v4, ["1"]).isEmpty)
  }

  @Test func noAddressesAtAllIsTheEnd() {
    var race = Race()
    #expect(race.answered(.v4, []).isEmpty)
    #expect(race.answered(.v6, []) == [.giveUp])
  }

  @Test func hintsAreTriedUntilTheAnswersAreThere() throws {
    var race = Race()
    let actions = race.hinted([.v6: ["a"], .v4: ["1"]])
    #expect(actions == [.attempt("a"), .wait(0.25, ticket: 1)])
    // The other hint is forgotten for the answer; it waits for its turn, as one that is known to be right has been tried.
    #expect(race.answered(.v4, ["2"]).isEmpty)
    #expect(race.answered(.v6, []).isEmpty)
    #expect(race.elapsed(try ticket(actions)) == [.attempt("2")])
  }

  @Test func answersDoNotWaitForHintsThatTheyDoNotConfirm() {
    var race = Race()
    #expect(race.hinted([.v6: ["a"]]) == [.attempt("a"), .wait(0.25, ticket: 1)])
    #expect(race.answered(.v4, ["1"], isUrgent: true) == [.attempt("1"), .wait(0.25, ticket: 2)])
    // Nothing to try is no reason for anything.
    #expect(race.answered(.v6, [], isUrgent: true).isEmpty)
  }

  @Test func hintsRemainWhereNoNameServerAnswers() throws {
    var race = Race()
    let actions = race.hinted([.v6: ["a", "b"], .v4: ["1"]])
    #expect(actions == [.attempt("a"), .wait(0.25, ticket: 1)])
    #expect(race.answered(.v4, nil).isEmpty)
    let next = race.elapsed(try ticket(actions))
    #expect(next == [.attempt("1"), .wait(0.25, ticket: 2)])
    #expect(race.answered(.v6, nil).isEmpty)
    #expect(race.failed() == [.attempt("b")])
    #expect(race.failed().isEmpty)
    #expect(race.failed() == [.giveUp])
  }

  /// Before anything was tried, as where the hint is of IPv4 and IPv6 is waited for.
  @Test func hintIsTriedAfterBothLookUpsHaveFailed() {
    var race = Race()
    #expect(race.hinted([.v4: ["1"]]) == [.wait(0.05, ticket: 1)])
    #expect(race.answered(.v4, nil).isEmpty)
    #expect(race.answered(.v6, nil) == [.attempt("1")])
    #expect(race.failed() == [.giveUp])
  }

  @Test func failedHintsWaitForTheAnswers() {
    var race = Race()
    #expect(race.hinted([.v4: ["1"]]) == [.wait(0.05, ticket: 1)])
    #expect(race.elapsed(1) == [.attempt("1"), .wait(0.25, ticket: 2)])
    #expect(race.failed().isEmpty)
    #expect(race.answered(.v6, []).isEmpty)
    #expect(race.answered(.v4, ["2"]) == [.attempt("2")])
    #expect(race.failed() == [.giveUp])
    // Too late.
    #expect(race.hinted([.v4: ["3"]]).isEmpty)
  }

  @Test func attemptsAreBounded() {
    var race = Race()
    _ = race.answered(.v4, [])
    var actions = race.answered(.v6, (0..<1000).map(String.init))
    var attempts = 0
    while actions.contains(where: { if case .attempt = $0 { true } else { false } }), attempts < 2000 {
      attempts += 1
      actions = race.failed()
    }
    #expect(attempts == Race.limit)
    #expect(actions == [.giveUp])
  }
}
