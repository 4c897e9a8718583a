import Foundation
import LoadingModel
import ProtocolRules
import Testing

/// What a decision of the cache is said to follow from, 30 seconds after the response was received.
struct CacheReasonTests {
  private func reason(
    _ control: String?, asked wish: String? = nil, tag: String? = "\"a\"", policy: CacheRules.Policy = .useProtocolCachePolicy
  ) -> CacheReason {
    let fields = control.map { [("Cache-Control", $0)] + (tag.map { [("ETag", $0)] } ?? []) }
    return CacheRules.judge(
      now: received.addingTimeInterval(30), request: request(wish.map { [("Cache-Control", $0)] } ?? []), policy: policy,
      stored: fields.map { stored($0) }
    ).reason
  }

  @Test(
    arguments: [
      ("max-age=60", nil, .fresh), ("max-age=20", nil, .stale), ("max-age=20, must-revalidate", nil, .staleMustRevalidate),
      ("max-age=20, stale-while-revalidate=20", nil, .staleWhileRevalidate), ("no-cache", nil, .responseNoCache),
      ("max-age=60", "no-cache", .requestNoCache), ("max-age=60", "no-store", .requestNoStore),
      ("max-age=60", "min-fresh=40", .requestMinFresh), ("max-age=60", "max-age=5", .requestMaxAge),
      ("max-age=20", "max-stale", .requestMaxStale), ("max-age=20", "only-if-cached", .requestOnlyIfCached),
      ("max-age=60", "only-if-cached", .fresh), (nil, nil, .nothingStored), (nil, "no-cache", .nothingStored),
    ] as [(String?, String?, CacheReason)])
  func eachDecisionHasItsReason(control: String?, wish: String?, expected: CacheReason) {
    #expect(reason(control, asked: wish) == expected)
  }

  @Test func policiesAreReasonsToo() {
    #expect(reason("max-age=60", policy: .reloadIgnoringLocalCacheData) == .policy)
    #expect(reason("max-age=20", policy: .returnCacheDataElseLoad) == .policy)
    #expect(reason("max-age=60", policy: .reloadRevalidatingCacheData) == .policy)
    #expect(reason(nil, policy: .returnCacheDataDontLoad) == .nothingStored)
  }

  @Test func withoutAValidatorThereIsNothingToAskWith() {
    #expect(reason("max-age=20", tag: nil) == .noValidator)
  }
}
