import Foundation
import LoadingModel
import Testing
import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct URLResponseTests {
  let url = URL(filePath: "/dir/a")

  @Test func initialiserKeepsTheTypeAsGiven() {
    let response = URLResponse(url: url, mimeType: "Text/HTML; charset=x", expectedContentLength: 3, textEncodingName: "UTF-8")
    #expect(response.url == url)
    #expect(response.mimeType == "Text/HTML; charset=x")
    #expect(response.textEncodingName == "utf-8")
    #expect(response.expectedContentLength == 3)
    #expect(response.suggestedFilename == "a.html")
  }

  @Test func responseCanBeMadeOfNothing() throws {
    let plain = URLResponse()
    #expect(plain.url == nil && plain.mimeType == nil && plain.textEncodingName == nil && plain.expectedContentLength == -1)
    #expect(plain.suggestedFilename == "unknown")
    #expect(
      plain.isEqual(URLResponse()) && !plain.isEqual(URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil))
    )
    #expect(plain.description.contains("(null)"))
    let response = HTTPURLResponse()
    #expect(response.url == nil && response.statusCode == 0 && response.allHeaderFields.isEmpty && response.expectedContentLength == -1)
    // An archive can't hold what has no URL, and says so instead of inventing one.
    let data = try NSKeyedArchiver.archivedData(withRootObject: plain, requiringSecureCoding: true)
    #expect((try? NSKeyedUnarchiver.unarchivedObject(ofClass: URLResponse.self, from: data)) == nil)
  }

  @Test func responseOfHTTPCanBeMadeOfTheFactsOfAny() {
    let response = HTTPURLResponse(url: url, mimeType: "text/html", expectedContentLength: 3, textEncodingName: "UTF-8")
    #expect(response.url == url && response.statusCode == 0 && response.expectedContentLength == 3)
    #expect(response.mimeType == "text/html" && response.textEncodingName == "utf-8" && response.suggestedFilename == "a.html")
    #expect(response.value(forHTTPHeaderField: "Content-Length") == "3")
    let unknown = HTTPURLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
    #expect(unknown.mimeType == nil && unknown.textEncodingName == nil && unknown.expectedContentLength == -1)
    #expect(unknown.allHeaderFields.isEmpty)
  }

  @Test func unknownsAreNilAndMinusOne() {
    let response = URLResponse(
      url: url, mimeType: nil, expectedContentLength: NSURLResponseUnknownLength, textEncodingName: nil)
    #expect(response.mimeType == nil)
    #expect(response.textEncodingName == nil)
    #expect(response.expectedContentLength == -1)
  }

  @Test func engineResponsesGetTheirClass() {
    let plain = URLResponse.make(LoadResponse(url: url, kind: .plain(mimeType: "a/b", textEncoding: "utf-8"), expectedLength: 4))
    #expect(type(of: plain) == URLResponse.self)
    #expect(plain.mimeType == "a/b" && plain.textEncodingName == "utf-8" && plain.expectedContentLength == 4)
    let native = URLResponse.make(LoadResponse(url: url, kind: .native(plain), expectedLength: 4))
    #expect(native === plain)
    let head = ResponseHead(status: 204, headers: HeaderFields())
    #expect(URLResponse.make(LoadResponse(url: url, kind: .http(head), expectedLength: 0)) is HTTPURLResponse)
  }

  @Test func nativeObjectOfAnotherClassBecomesAPlainResponse() {
    #expect(URLResponse.make(LoadResponse(url: url, kind: .absent, expectedLength: -1)).mimeType == nil)
    let response = URLResponse.make(LoadResponse(url: url, kind: .native(LoadRequestBox()), expectedLength: 9))
    #expect(response.url == url)
    #expect(response.expectedContentLength == 9)
  }

  @Test func equalityComparesTheFacts() {
    let first = URLResponse(url: url, mimeType: "a/b", expectedContentLength: 1, textEncodingName: nil)
    let same = URLResponse(url: url, mimeType: "a/b", expectedContentLength: 1, textEncodingName: nil)
    let other = URLResponse(url: url, mimeType: "a/c", expectedContentLength: 1, textEncodingName: nil)
    #expect(first.isEqual(same) && first.hash == same.hash)
    #expect(!first.isEqual(other))
    #expect(!first.isEqual(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)))
    #expect(first.copy() as AnyObject === first)
  }
}

private final class LoadRequestBox: Sendable {}
