import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct StorageRulesTests {
  @Test(
    arguments: [
      (200, [], .heuristic),
      (200, [("Cache-Control", "max-age=60")], .explicitFreshness),
      (200, [("Cache-Control", "max-age=0")], .explicitFreshness),
      (200, [("Cache-Control", "no-cache")], .heuristic),
      (200, [("Cache-Control", "private")], .heuristic),
      (200, [("Expires", "0")], .explicitFreshness),
      (203, [], .heuristic), (204, [], .heuristic),
      (200, [("Cache-Control", "no-store")], .responseForbids),
      (200, [("cache-control", "max-age=60, No-Store")], .responseForbids),
      (200, [("Cache-Control", "public"), ("Cache-Control", "no-store")], .responseForbids),
      (200, [("Cache-Control", "x=\"no-store\"")], .heuristic),
      (200, [("Cache-Control", "x=\"a, no-store, b\"")], .heuristic),
      (200, [("Vary", "Accept, *")], .variesOnEverything),
      (200, [("Vary", "Accept")], .heuristic),
      (201, [], .statusNotCacheable), (201, [("Cache-Control", "max-age=1")], .explicitFreshness),
      (202, [("Cache-Control", "public")], .heuristic), (202, [("Cache-Control", "s-maxage=5")], .statusNotCacheable),
      (206, [("Cache-Control", "max-age=60")], .partialContent),
      (301, [], .notExplicitlyFresh), (301, [("Cache-Control", "max-age=60")], .explicitFreshness),
      (301, [("Cache-Control", "max-age=0")], .notExplicitlyFresh), (301, [("Cache-Control", "public")], .notExplicitlyFresh),
      (308, [("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")], .explicitFreshness), (308, [("Expires", "-1")], .notExplicitlyFresh),
      (404, [("Cache-Control", "max-age=5")], .explicitFreshness), (410, [], .notExplicitlyFresh),
      (404, [("Last-Modified", "Sat, 05 Nov 1994 08:49:37 GMT")], .heuristic),
      (410, [("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")], .notExplicitlyFresh),
      (403, [("Last-Modified", "Sat, 05 Nov 1994 08:49:37 GMT")], .notExplicitlyFresh),
      (302, [("Cache-Control", "max-age=60")], .explicitFreshness), (307, [], .notExplicitlyFresh),
      (500, [("Cache-Control", "max-age=60")], .explicitFreshness), (503, [], .notExplicitlyFresh),
      (299, [("Cache-Control", "max-age=60")], .explicitFreshness), (599, [("Cache-Control", "max-age=60")], .explicitFreshness),
      (599, [("Cache-Control", "max-age=60, must-understand")], .statusNotUnderstood),
      (200, [("Cache-Control", "max-age=60, must-understand, no-store")], .explicitFreshness),
      (304, [("Cache-Control", "max-age=60")], .statusNotCacheable), (401, [("Cache-Control", "max-age=60")], .statusNotCacheable),
      (407, [("Cache-Control", "max-age=60")], .statusNotCacheable), (100, [], .statusNotCacheable),
      (412, [("Cache-Control", "max-age=60")], .statusNotCacheable), (416, [("Cache-Control", "max-age=60")], .statusNotCacheable),
      (417, [("Cache-Control", "public, max-age=60")], .statusNotCacheable), (428, [("Cache-Control", "max-age=60")], .statusNotCacheable),
      (429, [("Cache-Control", "max-age=60")], .statusNotCacheable), (431, [("Cache-Control", "max-age=60")], .statusNotCacheable),
      (511, [("Cache-Control", "max-age=60, must-understand")], .statusNotCacheable),
      (413, [("Cache-Control", "max-age=60")], .explicitFreshness), (406, [("Cache-Control", "max-age=60")], .explicitFreshness),
      (200, [("Set-Cookie", "a=b"), ("Cache-Control", "max-age=60")], .explicitFreshness),
      (200, [("CDN-Cache-Control", "no-store"), ("Cache-Control", "max-age=60")], .explicitFreshness),
      (200, [("Pragma", "no-cache"), ("Cache-Control", "max-age=60")], .explicitFreshness),
    ] as [(Int, [HeaderFields.Entry], StorageDecision.Reason)])
  func statusAndFieldsDecide(status: Int, fields: [HeaderFields.Entry], expected: StorageDecision.Reason) {
    let decision = decide(status: status, fields: fields)
    #expect(decision.reason == expected)
    #expect(decision.isStorable == (expected == .heuristic || expected == .explicitFreshness))
  }

  @Test(arguments: ["HEAD", "POST", "PUT", "OPTIONS", "get"])
  func onlyGETIsStored(method: String) {
    #expect(decide(method: method).reason == .methodNotGET)
  }

  @Test func requestMayForbidStoring() {
    #expect(decide(requestFields: [("Cache-Control", "no-store")]).reason == .requestForbids)
    #expect(decide(requestFields: [("Cache-Control", "no-cache")]).isStorable)
    #expect(decide(requestFields: [("Authorization", "Bearer x")]).isStorable)
  }

  @Test(
    arguments: [(5, 100, true), (6, 100, false), (nil, 100, true), (0, 100, true), (0, 0, false), (1, 19, false)] as [(Int64?, Int64, Bool)]
  )
  func fivePercentOfTheCapacityIsTheLimit(length: Int64?, capacity: Int64, expected: Bool) {
    #expect(decide(length: length, capacity: capacity).isStorable == expected)
  }

  /// Sun, 06 Nov 1994 08:49:37 GMT.
  private let received = Date(timeIntervalSince1970: 784_111_777)

  private func decide(
    method: String = "GET", requestFields: [HeaderFields.Entry] = [], status: Int = 200, fields: [HeaderFields.Entry] = [],
    length: Int64? = 1, capacity: Int64 = 1000
  ) -> StorageDecision {
    var request = LoadRequest(url: URL(string: "http://h/"))
    request.mutate {
      $0.method = method
      $0.headers = HeaderFields(requestFields)
    }
    let head = ResponseHead(status: status, headers: HeaderFields(fields))
    return StorageRules.decide(request: request, head: head, bodyLength: length, capacity: capacity, receivedAt: received)
  }
}
