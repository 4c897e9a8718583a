import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct CacheDecisionTests {
  private func verdict(
    _ fields: [HeaderFields.Entry], asked: [HeaderFields.Entry] = [], method: String = "GET", after seconds: Double = 30,
    policy: CacheRules.Policy = .useProtocolCachePolicy
  ) -> Verdict {
    Verdict(
      CacheRules.decide(
        now: received.addingTimeInterval(seconds), request: request(asked, method: method), policy: policy,
        stored: stored(fields + [("ETag", "\"a\"")])))
  }

  @Test(
    arguments: [
      ("max-age=60", .use), ("max-age=20", .validate), ("", .validate), ("max-age=60, no-cache", .validate),
      ("max-age=60, NO-CACHE", .validate), ("max-age=60, no-cache=\"a\"", .use), ("max-age=60, must-revalidate", .use),
      ("max-age=20, must-revalidate", .validate), ("max-age=60, private", .use), ("max-age=20, private", .validate),
      ("max-age=60, immutable", .use), ("max-age=20, immutable", .validate), ("max-age=60, proxy-revalidate", .use),
      ("max-age=20, stale-while-revalidate=20", .swr), ("max-age=20, stale-while-revalidate=9", .validate),
      ("max-age=20, stale-while-revalidate=20, must-revalidate", .validate), ("max-age=20, stale-while-revalidate=x", .validate),
      ("no-cache, stale-while-revalidate=20", .validate), ("s-maxage=60", .validate), ("max-age=20, s-maxage=60", .validate),
      ("max-age=60, s-maxage=0", .use), ("max-age=60, foo=bar", .use),
    ] as [(String, Verdict)])
  func responseDirectives(control: String, expected: Verdict) {
    #expect(verdict([("Cache-Control", control)]) == expected)
  }

  @Test(
    arguments: [
      ("max-age=60", "max-age=0", .validate), ("max-age=60", "max-age=20", .validate), ("max-age=60", "max-age=40", .use),
      ("max-age=60", "no-cache", .validate), ("max-age=60", "no-store", .fetch), ("max-age=60", "min-fresh=20", .use),
      ("max-age=60", "min-fresh=40", .validate), ("max-age=20", "max-stale", .use), ("max-age=20", "max-stale=20", .use),
      ("max-age=20", "max-stale=5", .validate), ("max-age=20, must-revalidate", "max-stale", .validate),
      ("max-age=20, no-cache", "max-stale", .validate), ("max-age=60", "only-if-cached", .use), ("max-age=20", "only-if-cached", .timeout),
      ("max-age=20", "only-if-cached, max-stale", .use), ("max-age=60", "only-if-cached, no-cache", .timeout),
      ("max-age=20, stale-while-revalidate=60", "only-if-cached", .use), ("max-age=20, stale-while-revalidate=60", "max-age=5", .validate),
      ("max-age=60", "no-transform", .use), ("max-age=60", "max-age=\"40\"", .use), ("max-age=60", "max-age=x", .validate),
      ("max-age=60", "max-age=5, max-stale=0", .validate), ("max-age=60", "max-age=20, max-stale=10", .use),
      ("max-age=20", "max-age=40, max-stale=9", .validate), ("max-age=60", "max-age=5, max-stale", .use),
    ] as [(String, String, Verdict)])
  func requestDirectives(control: String, wish: String, expected: Verdict) {
    #expect(verdict([("Cache-Control", control)], asked: [("Cache-Control", wish)]) == expected)
  }

  @Test func pragmaCountsOnlyWithoutCacheControl() {
    let fresh: [HeaderFields.Entry] = [("Cache-Control", "max-age=60")]
    #expect(verdict(fresh, asked: [("Pragma", "no-cache")]) == .validate)
    #expect(verdict(fresh, asked: [("Pragma", "No-Cache, x")]) == .validate)
    #expect(verdict(fresh, asked: [("Pragma", "x")]) == .use)
    #expect(verdict(fresh, asked: [("Pragma", "no-cache"), ("Cache-Control", "max-age=50")]) == .use)
    #expect(verdict(fresh + [("Pragma", "no-cache")]) == .use)
  }

  @Test(
    arguments: [
      (.useProtocolCachePolicy, .use, .validate, .fetch), (.reloadIgnoringLocalCacheData, .fetch, .fetch, .fetch),
      (.returnCacheDataElseLoad, .use, .use, .fetch), (.returnCacheDataDontLoad, .use, .use, .unavailable),
      (.reloadIgnoringLocalAndRemoteCacheData, .fetch, .fetch, .fetch), (.reloadRevalidatingCacheData, .validate, .validate, .fetch),
    ] as [(CacheRules.Policy, Verdict, Verdict, Verdict)])
  func applesPolicies(policy: CacheRules.Policy, fresh: Verdict, stale: Verdict, absent: Verdict) {
    #expect(verdict([("Cache-Control", "max-age=60")], policy: policy) == fresh)
    #expect(verdict([("Cache-Control", "max-age=20, no-cache")], policy: policy) == stale)
    #expect(Verdict(CacheRules.decide(now: received, request: request(), policy: policy, stored: nil)) == absent)
  }

  @Test func theRequestsPolicyWinsUnlessItIsTheDefault() {
    #expect(CacheRules.policy(request: 0, session: 2) == .returnCacheDataElseLoad)
    #expect(CacheRules.policy(request: 1, session: 2) == .reloadIgnoringLocalCacheData)
    #expect(CacheRules.policy(request: 0, session: 0) == .useProtocolCachePolicy)
    #expect(CacheRules.policy(request: 99, session: 0) == .useProtocolCachePolicy)
  }

  @Test(
    arguments: [
      ([("ETag", "\"a\"")], ["If-None-Match: \"a\""]), ([("ETag", "W/\"a\"")], ["If-None-Match: W/\"a\""]),
      ([("ETag", "abc")], ["If-None-Match: abc"]), ([("Last-Modified", "x")], ["If-Modified-Since: x"]),
      ([("ETag", "\"a\""), ("Last-Modified", "x")], ["If-None-Match: \"a\"", "If-Modified-Since: x"]), ([("ETag", "")], []), ([], []),
    ] as [([HeaderFields.Entry], [String])])
  func conditionsAreTheStoredValidators(fields: [HeaderFields.Entry], expected: [String]) {
    let head = ResponseHead(status: 200, headers: HeaderFields(fields))
    #expect(CacheRules.conditions(of: head).entries.map { "\($0.name): \($0.value)" } == expected)
  }

  @Test func withoutValidatorsStaleMeansFetch() {
    let stale = stored([("Cache-Control", "max-age=1")])
    let now = received.addingTimeInterval(30)
    #expect(Verdict(CacheRules.decide(now: now, request: request(), policy: .useProtocolCachePolicy, stored: stale)) == .fetch)
    #expect(verdict([("Cache-Control", "max-age=1")], method: "HEAD") == .fetch)
    #expect(verdict([("Cache-Control", "max-age=60")], method: "HEAD") == .use)
  }

  @Test(arguments: ["If-None-Match", "if-modified-since", "If-Match", "If-Unmodified-Since"])
  func conditionsOfTheAppsOwnPassBy(name: String) {
    #expect(!CacheRules.mayAnswer(request([(name, "x")])))
    #expect(CacheRules.mayAnswer(request([("If-Range", "x"), ("Range", "bytes=0-")])))
  }

  @Test func onlyGetAndHeadWithoutBodyAreAnswered() {
    #expect(CacheRules.mayAnswer(request(method: "HEAD")))
    #expect(!CacheRules.mayAnswer(request(method: "POST")))
    #expect(!CacheRules.mayAnswer(request(method: "get")))
    var withBody = request()
    withBody.mutate { $0.body = .data(Data([1])) }
    #expect(!CacheRules.mayAnswer(withBody))
  }

  @Test(
    arguments: [
      ("max-age=20, stale-if-error=20", "", true), ("max-age=20, stale-if-error=5", "", false), ("max-age=20", "", false),
      ("max-age=20", "stale-if-error=20", true), ("max-age=20, stale-if-error=20, must-revalidate", "", false),
      ("no-cache, stale-if-error=60", "", false), ("max-age=20, stale-if-error=20", "no-cache", false),
      ("max-age=20, stale-if-error=20", "no-store", false), ("max-age=20, stale-if-error=20", "min-fresh=1", false),
    ])
  func staleIfError(control: String, wish: String, expected: Bool) {
    let now = received.addingTimeInterval(30)
    let stored = stored([("Cache-Control", control)])
    #expect(
      CacheRules.mayServeOnError(now: now, request: request([("Cache-Control", wish)]), policy: .useProtocolCachePolicy, stored: stored)
        == expected)
    let plain = request([("Cache-Control", wish)])
    #expect(!CacheRules.mayServeOnError(now: now, request: plain, policy: .reloadRevalidatingCacheData, stored: stored))
    let pragma = request([("Pragma", "no-cache")])
    #expect(!CacheRules.mayServeOnError(now: now, request: pragma, policy: .useProtocolCachePolicy, stored: stored))
    #expect(CacheRules.isServerFailure(503))
    #expect(!CacheRules.isServerFailure(501))
  }
}
