import Foundation
import HTTPPolicy
import LoadingModel
import Testing

struct RetryRulesTests {
  @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"])
  func idempotentRequestsOnStaleConnectionsAreRetried(method: String) {
    #expect(decide(method) == .retry)
  }

  @Test(arguments: ["POST", "PATCH", "CONNECT", "get", "LOCK"])
  func otherMethodsAreNot(method: String) {
    #expect(decide(method) == .giveUp(.methodNotIdempotent))
  }

  @Test func onlyOneRetryIsSilent() {
    #expect(decide("GET", retriesSoFar: 1) == .giveUp(.attemptsUsed))
  }

  @Test func failuresOfFreshConnectionsAreReported() {
    #expect(decide("GET", stale: false) == .giveUp(.notStaleConnection))
  }

  @Test func cancellationIsFinal() {
    #expect(decide("GET", kind: .cancelled) == .giveUp(.notStaleConnection))
  }

  @Test func bodiesThatCanBeReadAgainAreNoHindrance() {
    #expect(decide("PUT", body: .data(Data(count: 3))) == .retry)
    #expect(decide("PUT", body: .file(URL(filePath: "/f"))) == .retry)
    #expect(decide("PUT", body: .stream(InputStream(data: Data()))) == .giveUp(.bodyNotReplayable))
    #expect(decide("PUT", body: .stream(InputStream(data: Data())), touched: false) == .retry)
  }

  private func decide(
    _ method: String, body: LoadRequest.Body = .none, kind: LoadError.Kind = .networkConnectionLost, stale: Bool = true,
    retriesSoFar: Int = 0, touched: Bool = true
  ) -> RetryDecision {
    var request = LoadRequest(url: URL(string: "http://h/"))
    request.mutate {
      $0.method = method
      $0.body = body
    }
    var error = LoadError(kind, .send, "closed")
    error.isStaleConnection = stale
    return RetryRules.decide(after: error, request: request, retriesSoFar: retriesSoFar, bodyWasTouched: touched)
  }
}
