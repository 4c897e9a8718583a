import Foundation
import Testing
import URLLoadingTestKit

/// `--limit-rate`.
@Suite(.timeLimit(.minutes(10))) struct PaceTests {
  /// What waits for its turn when the time is over would take hours more.
  @Test func limitOfTimeEndsWhatIsHeldBack() async throws {
    try await withStandardServer { server in
      let outcome = try await Tool().run("-m", "0.5", "--limit-rate", "1k", server.url("/bytes/10000000").absoluteString)
      #expect(outcome.status == 28, "\(outcome.errors)")
      #expect(outcome.errors.contains("timed out") && outcome.errors.contains("--max-time"))
      #expect(outcome.output.count < 10_000_000)
    }
  }
}
