import Foundation
import LoadingModel
import Testing

@testable import ProtocolRules

@Suite struct RetryPolicyRulesTests {
  private let now = Date(timeIntervalSince1970: 784_111_777)

  private func decide(
    _ policy: RetryPolicy = RetryPolicy(), _ outcome: RetryPolicyRules.Outcome = .status(503, retryAfter: nil), method: String = "GET",
    key: String? = nil, body: LoadRequest.Body = .none, touched: Bool = false, attempts: Int = 1, waited: Double = 0, chance: Double = 1
  ) -> RetryPolicyRules.Decision {
    var request = LoadRequest(url: URL(string: "http://example.com/"))
    request.mutate { fields in
      fields.method = method
      fields.body = body
      if let key { fields.headers.set("Idempotency-Key", key) }
    }
    return RetryPolicyRules.decide(
      policy, outcome, request, bodyWasTouched: touched, attempts: attempts, waited: waited, chance: chance, now: now)
  }

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504]) func passingStatusIsRetried(_ status: Int) {
    #expect(decide(.init(), .status(status, retryAfter: nil)) == .retry(afterSeconds: 0.5))
  }

  @Test(arguments: [200, 304, 400, 401, 404, 501, 505]) func lastingStatusIsFinal(_ status: Int) {
    #expect(decide(.init(), .status(status, retryAfter: "0")) == .giveUp(.lasting))
  }

  @Test(arguments: [(LoadError.Kind.networkConnectionLost, true), (.cannotConnectToHost, true), (.cannotParseResponse, false)])
  func errorsOfTheNetworkPass(_ kind: LoadError.Kind, _ isRetried: Bool) {
    let decision = decide(.init(), .error(LoadError(kind, .head, "")))
    #expect((decision == .retry(afterSeconds: 0.5)) == isRetried)
  }

  @Test func waitsDoubleToTheirLimitAndAreDrawn() {
    var policy = RetryPolicy()
    (policy.attempts, policy.longestDelay) = (100, 3)
    #expect((1...4).map { decide(policy, attempts: $0) } == [0.5, 1, 2, 3].map { .retry(afterSeconds: $0) })
    #expect(decide(policy, attempts: 99, chance: 0.5) == .retry(afterSeconds: 1.5))
    #expect(decide(policy, chance: 0) == .retry(afterSeconds: 0))
  }

  @Test func attemptsEnd() {
    #expect(decide(attempts: 2) == .retry(afterSeconds: 1))
    #expect(decide(attempts: 3) == .giveUp(.attemptsUsed))
  }

  @Test(arguments: [("GET", true), ("PUT", true), ("DELETE", true), ("POST", false), ("PATCH", false)])
  func idempotentMethodsAloneAreRepeated(_ method: String, _ isRetried: Bool) {
    #expect(decide(method: method) == (isRetried ? .retry(afterSeconds: 0.5) : .giveUp(.methodNotIdempotent)))
    #expect(decide(method: method, key: "1") == .retry(afterSeconds: 0.5))
    var policy = RetryPolicy()
    policy.repeatsUnsafe = true
    #expect(decide(policy, method: method) == .retry(afterSeconds: 0.5))
  }

  @Test func bodyThatIsGoneIsFinal() {
    let body = LoadRequest.Body.stream(InputStream(data: Data()))
    #expect(decide(method: "PUT", body: body, touched: true) == .giveUp(.bodyNotReplayable))
    #expect(decide(method: "PUT", body: body) == .retry(afterSeconds: 0.5))
    #expect(decide(method: "PUT", body: .data(Data([1])), touched: true) == .retry(afterSeconds: 0.5))
  }

  @Test(arguments: [("2", 2.0), (" 30 ", 30), ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sun, 06 Nov 1994 08:00:00 GMT", 0.5), ("soon", 0.5)])
  func retryAfterLengthensTheWait(_ field: String, _ seconds: Double) {
    #expect(decide(.init(), .status(503, retryAfter: field)) == .retry(afterSeconds: seconds))
  }

  @Test func waitsThatAreTooLongEndTheAttempts() {
    #expect(decide(.init(), .status(503, retryAfter: "31")) == .giveUp(.tooLong))
    for field in ["4294967295", "4294967296", String(repeating: "9", count: 400)] {
      #expect(decide(.init(), .status(429, retryAfter: field)) == .giveUp(.tooLong))
    }
    #expect(decide(waited: 119.6) == .giveUp(.tooLong))
  }

  @Test func budgetIsAPartOfTheLastMinutesLoads() {
    var (budget, policy) = (RetryBudget(), RetryPolicy())
    (policy.budget, policy.reserve) = (0.1, 2)
    let start = Instant(nanoseconds: 0)
    #expect((0..<4).map { _ in budget.take(policy, start) } == [true, true, false, false])
    for _ in 0..<50 { budget.countLoad(start.advanced(bySeconds: 30)) }
    #expect((0..<4).map { _ in budget.take(policy, start.advanced(bySeconds: 59)) } == [true, true, true, false])
    // The first two and the loads are more than a minute ago by then, the three of second 59 are not.
    #expect((0..<2).map { _ in budget.take(policy, start.advanced(bySeconds: 91)) } == [false, false])
    #expect((0..<3).map { _ in budget.take(policy, start.advanced(bySeconds: 600)) } == [true, true, false])
  }
}
