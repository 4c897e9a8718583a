import Foundation
import LoadingModel
import ProtocolRules
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

  @Test func onlySafeRequestsAreRetriedMoreThanOnceAndNotForEver() {
    let last = RetryRules.maximumStaleConnections
    #expect(decide("GET", retriesSoFar: last - 1) == .retry)
    #expect(decide("PUT", retriesSoFar: 1) == .giveUp(.methodNotIdempotent))
    #expect(decide("GET", retriesSoFar: last) == .giveUp(.attemptsUsed))
  }

  @Test func failuresOfFreshConnectionsAreReported() {
    #expect(decide("GET", stale: false) == .giveUp(.notStaleConnection))
    #expect(decide("GET", stale: false, cutOff: true) == .giveUp(.notStaleConnection))
  }

  @Test func safeRequestIsRepeatedWhereAServerThatHadAnsweredBreaksANewConnection() {
    let last = RetryRules.maximumInterruptions
    #expect(decide("GET", stale: false, retriesSoFar: last - 1, cutOff: true, hasAnswered: true) == .retry)
    #expect(decide("GET", stale: false, retriesSoFar: last, cutOff: true, hasAnswered: true) == .giveUp(.attemptsUsed))
    #expect(decide("PUT", stale: false, cutOff: true, hasAnswered: true) == .giveUp(.methodNotIdempotent))
    #expect(decide("GET", stale: false, hasAnswered: true) == .giveUp(.notStaleConnection))
  }

  @Test func nothingIsLostWithAHandshakeWhateverTheMethod() {
    #expect(decide("POST", stale: false, cutOff: true, hasAnswered: true, phase: .secure) == .retry)
    #expect(decide("POST", stale: false, cutOff: true, phase: .secure) == .giveUp(.notStaleConnection))
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

  @Test(arguments: [LoadError.Unprocessed.refused, .needsHTTP1])
  func requestThatTheServerHasNotActedOnIsRetriedWhateverItsMethod(_ reason: LoadError.Unprocessed) {
    for method in ["GET", "POST", "PATCH"] { #expect(decide(method, stale: false, unprocessed: reason) == .retry) }
    #expect(decide("POST", body: .data(Data(count: 3)), stale: false, unprocessed: reason) == .retry)
    #expect(
      decide("POST", body: .stream(InputStream(data: Data())), stale: false, unprocessed: reason) == .giveUp(.bodyNotReplayable))
    #expect(decide("POST", kind: .cancelled, stale: false, unprocessed: reason) == .giveUp(.notStaleConnection))
  }

  @Test func refusalsAreAcceptedInTheEnd() {
    let last = RetryRules.maximumRefusals
    #expect(decide("POST", stale: false, retriesSoFar: last - 1, unprocessed: .refused) == .retry)
    #expect(decide("POST", stale: false, retriesSoFar: last, unprocessed: .refused) == .giveUp(.attemptsUsed))
  }

  @Test func requestWhoseTurnDoesNotComeIsPatient() {
    let last = RetryRules.maximumGoodbyes
    #expect(decide("POST", stale: false, retriesSoFar: last - 1, unprocessed: .outrun) == .retry)
    #expect(decide("POST", stale: false, retriesSoFar: last, unprocessed: .outrun) == .giveUp(.attemptsUsed))
  }

  @Test func requestWhosePathIsLostGoesOverAnotherIfItMayBeRepeated() {
    let last = RetryRules.maximumPathLosses
    for method in ["GET", "PUT"] { #expect(decide(method, stale: false, retriesSoFar: last - 1, lostPath: true) == .retry) }
    #expect(decide("GET", stale: true, retriesSoFar: last, lostPath: true) == .giveUp(.attemptsUsed))
    #expect(decide("POST", stale: false, lostPath: true) == .giveUp(.methodNotIdempotent))
    #expect(decide("PUT", body: .stream(InputStream(data: Data())), stale: false, lostPath: true) == .giveUp(.bodyNotReplayable))
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
    _ method: String, body: LoadRequest.Body = .none, kind: LoadError.Kind = .networkConnectionLost, stale: Bool = true,
    retriesSoFar: Int = 0, touched: Bool = true, unprocessed: LoadError.Unprocessed? = nil, lostPath: Bool = false,
    cutOff: Bool = false, hasAnswered: Bool = false, phase: LoadError.Phase = .send
  ) -> RetryDecision {
    var request = LoadRequest(url: URL(string: "http://h/"))
    request.mutate {
      $0.method = method
      $0.body = body
    }
    var error = LoadError(kind, phase, "closed")
    error.isStaleConnection = stale
    error.unprocessed = unprocessed
    error.hasLostPath = lostPath
    error.isCutOff = cutOff
    return RetryRules.decide(
      after: error, request: request, retriesSoFar: retriesSoFar, bodyWasTouched: touched, hasAnswered: hasAnswered)
  }
}
