import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct RetryRulesTests {
  @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"])
  func idempotentRequestsOnStaleConnectionsAreRetried(method: String) {
    #expect(decide(method) == .retry(.staleConnection))
  }

  @Test(arguments: ["POST", "PATCH", "CONNECT", "get", "LOCK"])
  func otherMethodsAreNot(method: String) {
    #expect(decide(method) == .giveUp(.methodNotIdempotent))
  }

  @Test func onlySafeRequestsAreRetriedMoreThanOnceAndNotForEver() {
    let last = RetryRules.maximumStaleConnections
    #expect(decide("GET", retriesSoFar: last - 1) == .retry(.staleConnection))
    #expect(decide("PUT", retriesSoFar: 1) == .giveUp(.methodNotIdempotent))
    #expect(decide("GET", retriesSoFar: last) == .giveUp(.attemptsUsed))
  }

  @Test func failuresOfFreshConnectionsAreReported() {
    #expect(decide("GET", reason: nil) == .giveUp(.notStaleConnection))
    #expect(decide("GET", reason: .cutOff) == .giveUp(.notStaleConnection))
  }

  @Test func safeRequestIsRepeatedWhereAServerThatHadAnsweredBreaksANewConnection() {
    let last = RetryRules.maximumInterruptions
    #expect(decide("GET", retriesSoFar: last - 1, reason: .cutOff, hasAnswered: true) == .retry(.interruption))
    #expect(decide("GET", retriesSoFar: last, reason: .cutOff, hasAnswered: true) == .giveUp(.attemptsUsed))
    #expect(decide("PUT", reason: .cutOff, hasAnswered: true) == .giveUp(.methodNotIdempotent))
    #expect(decide("GET", reason: nil, hasAnswered: true) == .giveUp(.notStaleConnection))
  }

  @Test func nothingIsLostWithAHandshakeWhateverTheMethod() {
    #expect(decide("POST", reason: .cutOff, hasAnswered: true, phase: .secure) == .retry(.interruption))
    #expect(decide("POST", reason: .cutOff, phase: .secure) == .giveUp(.notStaleConnection))
  }

  @Test func cancellationIsFinal() {
    #expect(decide("GET", kind: .cancelled) == .giveUp(.notStaleConnection))
  }

  @Test func bodiesThatCanBeReadAgainAreNoHindrance() {
    #expect(decide("PUT", body: .data(Data(count: 3))) == .retry(.staleConnection))
    #expect(decide("PUT", body: .file(URL(filePath: "/f"))) == .retry(.staleConnection))
    #expect(decide("PUT", body: .stream(InputStream(data: Data()))) == .giveUp(.bodyNotReplayable))
    #expect(decide("PUT", body: .stream(InputStream(data: Data())), touched: false) == .retry(.staleConnection))
  }

  @Test(arguments: [LoadError.ResendReason.refused, .needsHTTP1, .unanswered])
  func requestThatTheServerHasNotActedOnIsRetriedWhateverItsMethod(_ reason: LoadError.ResendReason) {
    for method in ["GET", "POST", "PATCH"] { #expect(decide(method, reason: reason) == .retry(.refusal)) }
    #expect(decide("POST", body: .data(Data(count: 3)), reason: reason) == .retry(.refusal))
    #expect(
      decide("POST", body: .stream(InputStream(data: Data())), reason: reason) == .giveUp(.bodyNotReplayable))
    #expect(decide("POST", kind: .cancelled, reason: reason) == .giveUp(.notStaleConnection))
  }

  @Test func refusalsAreAcceptedInTheEnd() {
    let last = RetryRules.maximumRefusals
    #expect(decide("POST", retriesSoFar: last - 1, reason: .refused) == .retry(.refusal))
    #expect(decide("POST", retriesSoFar: last, reason: .refused) == .giveUp(.attemptsUsed))
  }

  @Test func requestWhoseTurnDoesNotComeIsPatient() {
    let last = RetryRules.maximumGoodbyes
    #expect(decide("POST", retriesSoFar: last - 1, reason: .outrun) == .retry(.outrun))
    #expect(decide("POST", retriesSoFar: last, reason: .outrun) == .giveUp(.attemptsUsed))
  }

  @Test func requestWhosePathIsLostGoesOverAnotherIfItMayBeRepeated() {
    let last = RetryRules.maximumPathLosses
    for method in ["GET", "PUT"] { #expect(decide(method, retriesSoFar: last - 1, reason: .pathLost) == .retry(.pathLoss)) }
    #expect(decide("GET", retriesSoFar: last, reason: .pathLost) == .giveUp(.attemptsUsed))
    #expect(decide("POST", reason: .pathLost) == .giveUp(.methodNotIdempotent))
    #expect(decide("PUT", body: .stream(InputStream(data: Data())), reason: .pathLost) == .giveUp(.bodyNotReplayable))
  }

  @Test func misdirectedRequestIsRepeatedWhereAnotherConnectionCanDoBetter() {
    var request = LoadRequest(url: URL(string: "https://h/"))
    #expect(RetryRules.repeatsMisdirected(request, isReusedConnection: true))
    #expect(!RetryRules.repeatsMisdirected(request, isReusedConnection: false))
    request.mutate { $0.body = .stream(InputStream(data: Data())) }
    #expect(!RetryRules.repeatsMisdirected(request, isReusedConnection: true))
    #expect(RetryRules.repeatsMisdirected(request, isReusedConnection: true, bodyWasTouched: false))
  }

  private func decide(
    _ method: String, body: LoadRequest.Body = .none, kind: LoadError.Kind = .networkConnectionLost, retriesSoFar: Int = 0,
    touched: Bool = true, reason: LoadError.ResendReason? = .staleConnection, hasAnswered: Bool = false,
    phase: LoadError.Phase = .send
  ) -> RetryDecision {
    var request = LoadRequest(url: URL(string: "http://h/"))
    request.mutate {
      $0.method = method
      $0.body = body
    }
    var error = LoadError(kind, phase, "closed")
    error.resendReason = reason
    let retries = RetryCause(error, hasAnswered: hasAnswered).map { [$0: retriesSoFar] } ?? [:]
    return RetryRules.decide(after: error, request: request, retries: retries, bodyWasTouched: touched, hasAnswered: hasAnswered)
  }
}
