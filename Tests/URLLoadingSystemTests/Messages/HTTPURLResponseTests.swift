import Foundation
import LoadingModel
import Testing
import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct HTTPURLResponseTests {
  let url = URL(filePath: "/a")

  private func response(_ fields: [(String, String)], length: Int64 = -1, status: Int = 200) throws -> HTTPURLResponse {
    let head = ResponseHead(status: status, version: "HTTP/2", headers: HeaderFields(fields.map { (name: $0.0, value: $0.1) }))
    let made = URLResponse.make(LoadResponse(url: url, kind: .http(head), expectedLength: length))
    return try #require(made as? HTTPURLResponse)
  }

  @Test func headerNamesReadInApplesSpelling() throws {
    let response = try response([("content-type", "a/b"), ("etag", "x"), ("www-authenticate", "Basic"), ("x-foo", "y"), ("X-BAR", "z")])
    let fields = try #require(response.allHeaderFields as? [String: String])
    #expect(fields == ["Content-Type": "a/b", "Etag": "x", "WWW-Authenticate": "Basic", "x-foo": "y", "X-BAR": "z"])
    #expect(response.allHeaderFields["Content-Type"] as? String == "a/b")
  }

  @Test func repeatedFieldsAreJoined() throws {
    let response = try response([("Set-Cookie", "a=1"), ("Via", "x"), ("set-cookie", "b=2")])
    #expect(response.allHeaderFields["Set-Cookie"] as? String == "a=1, b=2")
    #expect(response.value(forHTTPHeaderField: "SET-cookie") == "a=1, b=2")
    #expect(response.value(forHTTPHeaderField: "X-None") == nil)
  }

  @Test func contentTypeGivesMIMETypeAndCharset() throws {
    let response = try response([("content-type", "Text/HTML; Charset=\"UTF-8\"")], length: 12, status: 404)
    #expect(response.mimeType == "text/html")
    #expect(response.textEncodingName == "utf-8")
    #expect(response.expectedContentLength == 12)
    #expect(response.statusCode == 404)
    #expect(response.url == url)
  }

  @Test func withoutContentTypeTheTypeIsUnknown() throws {
    let response = try response([])
    #expect(response.mimeType == nil)
    #expect(response.textEncodingName == nil)
    #expect(response.allHeaderFields.isEmpty)
  }

  @Test(
    arguments: [
      ("10", 10), ("0", 0), ("10, 10", 10), ("10, 11", -1), ("-5", -1), ("+5", -1), ("1e3", -1), ("", -1), ("99999999999999999999", -1),
    ] as [(String, Int64)])
  func contentLengthMustBeOnePlainNumber(value: String, length: Int64) throws {
    let response = try #require(
      HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["content-length": value]))
    #expect(response.expectedContentLength == length)
  }

  @Test(arguments: [0, -1, 42, 200, 1000])
  func anyStatusMakesAResponse(status: Int) {
    let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.0", headerFields: nil)
    #expect(response?.statusCode == status)
    #expect(response?.expectedContentLength == -1)
  }

  @Test func contentDispositionNamesTheFile() throws {
    #expect(try response([("Content-Disposition", "attachment; filename=\"a/b.txt\"")]).suggestedFilename == "a_b.txt")
    #expect(try response([("Content-Type", "text/plain")]).suggestedFilename == "a.txt")
  }

  @Test(arguments: [
    (100, "continue"), (103, "informational"), (200, "no error"), (226, "success"), (304, "not modified"), (399, "redirected"),
    (404, "not found"), (418, "client error"), (500, "internal server error"), (599, "server error"), (0, "server error"),
  ])
  func statusTextsAreApples(status: Int, text: String) {
    #expect(HTTPURLResponse.localizedString(forStatusCode: status) == text)
  }

  @Test func equalResponsesHaveEqualHeads() throws {
    let first = try response([("A", "1"), ("B", "2")])
    #expect(try first.isEqual(response([("B", "2"), ("A", "1")])))
    #expect(try first.hash == response([("B", "2"), ("A", "1")]).hash)
    #expect(try !first.isEqual(response([("A", "1")])))
    #expect(try !first.isEqual(response([("A", "1"), ("B", "2")], status: 201)))
    #expect(first.copy() as AnyObject === first)
  }

  @Test func descriptionShowsStatusAndFields() throws {
    let text = try response([("b", "2"), ("a", "1")]).description
    #expect(text.contains("{ Status Code: 200, Headers {\n    \"a\" = \"1\";\n    \"b\" = \"2\";\n} }"))
  }

  @Test func manyThreadsMayReadTheFieldsAtOnce() async throws {
    let response = try response((0..<50).map { ("X-\($0)", "\($0)") })
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 { group.addTask { response.allHeaderFields.count } }
      for await count in group { #expect(count == 50) }
    }
  }

  @Test func subclassesMayOverride() throws {
    let response = try #require(TeapotResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
    #expect(response.statusCode == 418)
  }
}

private final class TeapotResponse: HTTPURLResponse, @unchecked Sendable {
  override var statusCode: Int { 418 }
}
