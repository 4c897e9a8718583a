import Foundation
import Testing
import URLLoadingSystem

struct CachedURLResponseTests {
  private func response(userInfo: [AnyHashable: Any]? = nil, policy: URLCache.StoragePolicy = .allowed) throws -> CachedURLResponse {
    let url = try address("http://example.test/")
    let http = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["ETag": "\"1\""]))
    return CachedURLResponse(response: http, data: Data("body".utf8), userInfo: userInfo, storagePolicy: policy)
  }

  private func roundtrip(_ response: CachedURLResponse) throws -> CachedURLResponse? {
    let data = try NSKeyedArchiver.archivedData(withRootObject: response, requiringSecureCoding: true)
    return try NSKeyedUnarchiver.unarchivedObject(ofClass: CachedURLResponse.self, from: data)
  }

  @Test func plainInitialiserAllowsStoring() throws {
    let url = try address("data:,x")
    let plain = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: 1, textEncodingName: nil)
    let cached = CachedURLResponse(response: plain, data: Data("x".utf8))
    #expect(cached.storagePolicy == .allowed)
    #expect(cached.userInfo == nil)
    #expect(cached.response.mimeType == "text/plain")
  }

  @Test func archivesRoundtrip() throws {
    let original = try response(userInfo: ["count": 3, "list": ["a", "b"]], policy: .allowedInMemoryOnly)
    let decoded = try #require(try roundtrip(original))
    #expect(decoded.data == original.data)
    #expect(decoded.storagePolicy == .allowedInMemoryOnly)
    #expect((decoded.response as? HTTPURLResponse)?.statusCode == 200)
    #expect(decoded.userInfo?["count"] as? Int == 3)
    #expect(decoded.userInfo?["list"] as? [String] == ["a", "b"])
  }

  @Test func whatCannotBeArchivedIsLeftOut() throws {
    final class Opaque {}
    let decoded = try #require(try roundtrip(try response(userInfo: ["object": Opaque()])))
    #expect(decoded.userInfo == nil)
    #expect(decoded.data == Data("body".utf8))
  }

  @Test func garbageDecodesToNothing() throws {
    let data = try NSKeyedArchiver.archivedData(withRootObject: NSString("x"), requiringSecureCoding: true)
    #expect((try? NSKeyedUnarchiver.unarchivedObject(ofClass: CachedURLResponse.self, from: data)) == nil)
  }

  @Test func equalityIsByValue() throws {
    #expect(try response() == response())
    #expect(try response().hash == response().hash)
    #expect(try response(userInfo: ["a": 1]) == response(userInfo: ["a": 1]))
    #expect(try response(userInfo: ["a": 1]) != response(userInfo: ["a": 2]))
    #expect(try response() != response(policy: .notAllowed))
    #expect(try response().copy() as? CachedURLResponse == response())
  }

  private func address(_ text: String) throws -> URL { try #require(URL(string: text)) }
}
