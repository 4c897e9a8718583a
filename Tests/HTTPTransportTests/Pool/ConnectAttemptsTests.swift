import LoadingModel
import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct ConnectAttemptsTests {
  private func attempt(_ attempts: ConnectAttempts, _ host: String) -> ConnectAttempt {
    let attempt = ConnectAttempt(
      attempts.makeID(), Destination(Origin(scheme: "https", host: host, port: 443)), for: nil, offersHTTP2: true)
    attempts.add(attempt)
    return attempt
  }

  @Test func attemptIsRemovedOnce() {
    let attempts = ConnectAttempts()
    let attempt = attempt(attempts, "a.example")
    #expect(attempts.contains(attempt))
    #expect(attempts.remove(attempt))
    #expect(!attempts.remove(attempt))
    #expect(attempts.all.isEmpty)
  }

  @Test func attemptsToOneDestinationAreEnded() {
    let attempts = ConnectAttempts()
    let all = ["a.example", "a.example", "b.example"].map { attempt(attempts, $0) }
    attempts.abandon(all[0].destination)
    #expect(all.map(\.isEnded) == [true, true, false])
    #expect(all.map(attempts.contains) == [false, false, true])
  }
}
