import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct RedirectDecisionTests {
  @Test(arguments: [
    (301, "POST", "GET", false), (302, "POST", "GET", false), (303, "POST", "GET", false),
    (301, "PUT", "PUT", true), (302, "DELETE", "DELETE", true), (302, "PATCH", "PATCH", true), (302, "GET", "GET", true),
    (303, "PUT", "GET", false), (303, "DELETE", "GET", false), (303, "HEAD", "HEAD", true), (303, "GET", "GET", true),
    (301, "HEAD", "HEAD", true), (307, "POST", "POST", true), (308, "POST", "POST", true), (308, "PUT", "PUT", true),
    (300, "GET", "GET", true),
  ])
  func methodAndBodyFollowTheStatus(status: Int, method: String, expected: String, keepsBody: Bool) throws {
    let next = try followed(request(method: method, body: .data(Data("x".utf8))), status: status, location: "/b")
    #expect(next.method == expected)
    if case .data = next.body { #expect(keepsBody) } else { #expect(!keepsBody) }
  }

  @Test(arguments: [200, 201, 204, 304, 305, 306, 309, 399, 401, 500])
  func otherStatusesAreFinalEvenWithLocation(status: Int) {
    #expect(decide(request(), status: status, location: "/b").isFinal)
  }

  @Test(arguments: [300, 301, 302, 303, 307, 308])
  func redirectWithoutLocationIsFinal(status: Int) {
    #expect(decide(request(), status: status, location: nil).isFinal)
    #expect(decide(request(), status: status, location: "  ").isFinal)
  }

  @Test func limitEndsInTooManyRedirects() {
    #expect(decide(request(), status: 302, location: "/b", hops: 15).next != nil)
    #expect(decide(request(), status: 302, location: "/b", hops: 16).failure == .httpTooManyRedirects)
    #expect(decide(request(), status: 302, location: "/a", hops: 16).failure == .httpTooManyRedirects)
    #expect(decide(request(), status: 302, location: nil, hops: 16).isFinal)
  }

  @Test func redirectToTheSameURLIsFollowed() throws {
    #expect(try followed(request(), status: 302, location: "https://a.example/p/a").url?.absoluteString == "https://a.example/p/a")
  }

  @Test(arguments: ["file:///etc/passwd", "FILE:///x", "data:text/plain,x", "Data:,x"])
  func localAndDataURLsAreRefused(location: String) {
    #expect(decide(request(), status: 302, location: location).failure == .unsupportedURL)
  }

  @Test(arguments: ["myapp://callback?code=1", "ftp://f.example/x", "mailto:x@example.org"])
  func otherSchemesAreLeftToProtocolSelection(location: String) throws {
    #expect(try followed(request(), status: 302, location: location).url?.absoluteString == location)
  }

  /// An FTP server would store the body in the place of a file.
  @Test(arguments: [301, 302, 303, 307, 308], ["POST", "PUT", "PATCH", "DELETE", "GET", "HEAD"])
  func redirectToFTPNeverCarriesABody(status: Int, method: String) throws {
    for location in ["ftp://f.example/x", "FTPS://f.example/x"] {
      let sent = request(method: method, body: .data(Data("x".utf8)), headers: [("Content-Type", "a/b"), ("X-Trace", "1")])
      let next = try followed(sent, status: status, location: location)
      #expect(next.method == (method == "HEAD" ? "HEAD" : "GET"))
      #expect(next.headers == HeaderFields([("X-Trace", "1")]))
      guard case .none = next.body else {
        Issue.record("\(method) keeps its body")
        continue
      }
    }
  }

  @Test(arguments: [
    "http://", "http:///", "http://a b/", "http://h:99999/", "http://h:x/", "//[::1", "/a\u{0}b", "/a\tb",
    "/a\r\nX: y", "http://exa%2Fmple/",
  ])
  func malformedLocationFails(location: String) {
    #expect(decide(request(), status: 302, location: location).failure == .redirectToNonExistentLocation)
  }

  @Test func locationsThatDifferFail() {
    let twice = ResponseHead(status: 302, headers: HeaderFields([("Location", "/b"), ("location", "/b ")]))
    let differing = ResponseHead(status: 302, headers: HeaderFields([("Location", "/b"), ("location", "https://evil.example/")]))
    #expect(RedirectDecision.decide(request: request(), head: twice, url: base, hops: 0).next?.url?.path == "/b")
    #expect(RedirectDecision.decide(request: request(), head: differing, url: base, hops: 0).failure == .redirectToNonExistentLocation)
  }

  @Test(arguments: [
    "https://b.example/", "http://a.example/", "https://a.example:444/", "https://sub.a.example/", "//a.example.evil.example/",
    "https://a.example@evil.example/", "myapp://a.example/",
  ])
  func redirectAcrossOriginsDropsCredentials(location: String) throws {
    let next = try followed(request(headers: credentials), status: 307, location: location)
    #expect(next.headers == HeaderFields([("X-Trace", "1"), ("Referer", "https://r.example/")]))
  }

  @Test(arguments: [("/b", true), ("https://b.example/", false)])
  func attachedCookiesStayWithinTheOrigin(location: String, isKept: Bool) throws {
    let cookies = [AttachedCookie("sid=1", stored: Date(timeIntervalSince1970: 1))]
    var first = request()
    first.mutate { $0.attachedCookies = cookies }
    #expect(try followed(first, status: 307, location: location).attachedCookies == (isKept ? cookies : []))
  }

  @Test(arguments: [
    ("wss://a.example/", "https://a.example/b", true), ("ws://a.example/", "http://a.example/b", true),
    ("https://a.example/", "wss://a.example/b", true), ("wss://a.example/", "http://a.example/b", false),
    ("ws://a.example/", "https://a.example/b", false), ("wss://a.example/", "https://b.example/", false),
    ("wss://a.example/", "https://a.example:444/", false),
  ])
  func schemesOfAWebSocketAndItsHandshakeAreOneOrigin(from: String, location: String, isKept: Bool) throws {
    var first = request(headers: credentials)
    let url = try #require(URL(string: from))
    first.mutate { $0.url = url }
    let head = ResponseHead(status: 307, headers: HeaderFields([("Location", location)]))
    let next = try #require(RedirectDecision.decide(request: first, head: head, url: url, hops: 0).next)
    #expect(next.headers.contains("Authorization") == isKept)
    #expect(next.headers.contains("Cookie") == isKept)
  }

  @Test(arguments: ["/b", "https://a.example/", "https://A.EXAMPLE:443/", "?q"])
  func redirectWithinTheOriginKeepsAuthorization(location: String) throws {
    let next = try followed(request(headers: credentials), status: 307, location: location)
    #expect(next.headers.first("Authorization") == "Bearer s")
    #expect(next.headers.first("Cookie") == "a=b")
  }

  @Test func hostFieldNeverSurvives() throws {
    let fields: [HeaderFields.Entry] = [("host", "v.example"), ("Accept", "text/html")]
    #expect(try followed(request(headers: fields), status: 307, location: "/b").headers == HeaderFields([("Accept", "text/html")]))
  }

  @Test func contentFieldsGoWithTheBody() throws {
    let content: [HeaderFields.Entry] = [
      ("Content-Type", "a/b"), ("content-length", "1"), ("CONTENT-MD5", "x"), ("Content-Disposition", "y"),
      ("Transfer-Encoding", "chunked"),
      ("Expect", "100-continue"), ("Content", "kept"), ("Accept", "*/*"),
    ]
    let post = request(method: "POST", body: .data(Data("x".utf8)), headers: content)
    #expect(try followed(post, status: 303, location: "/b").headers == HeaderFields([("Content", "kept"), ("Accept", "*/*")]))
    #expect(try followed(post, status: 307, location: "/b").headers == HeaderFields(content))
  }

  @Test func refererIsNotAdded() throws {
    #expect(try followed(request(), status: 302, location: "https://b.example/").headers.isEmpty)
  }

  @Test func originalRequestIsUntouched() throws {
    let original = request(method: "POST", body: .data(Data("x".utf8)), headers: credentials)
    _ = try followed(original, status: 303, location: "https://b.example/")
    #expect(original.method == "POST")
    #expect(original.headers == HeaderFields(credentials))
    #expect(original.url == base)
  }

  @Test func messagesNeverQuoteTheLocation() throws {
    for location in ["file:///secret", "http://h:x/secret"] {
      guard case .fail(let error) = decide(request(), status: 302, location: location) else {
        Issue.record("followed \(location)")
        continue
      }
      #expect(!error.message.contains("secret"))
      #expect(error.phase == .redirect)
    }
  }

  private let base = URL(string: "https://a.example/p/a") ?? URL(filePath: "/")
  private let credentials: [HeaderFields.Entry] = [
    ("authorization", "Bearer s"), ("Cookie", "a=b"), ("Proxy-Authorization", "Basic p"), ("X-Trace", "1"),
    ("Referer", "https://r.example/"),
  ]

  private func request(
    method: String = "GET", body: LoadRequest.Body = .none, headers: [HeaderFields.Entry] = []
  ) -> LoadRequest {
    var request = LoadRequest(url: base)
    request.mutate {
      $0.method = method
      $0.body = body
      $0.headers = HeaderFields(headers)
    }
    return request
  }

  private func decide(_ request: LoadRequest, status: Int, location: String?, hops: Int = 0) -> RedirectDecision {
    let head = ResponseHead(status: status, headers: HeaderFields(location.map { [("Location", $0)] } ?? []))
    return RedirectDecision.decide(request: request, head: head, url: base, hops: hops)
  }

  private func followed(_ request: LoadRequest, status: Int, location: String) throws -> LoadRequest {
    try #require(decide(request, status: status, location: location).next)
  }
}

extension RedirectDecision {
  fileprivate var isFinal: Bool {
    if case .final = self { true } else { false }
  }
  fileprivate var next: LoadRequest? {
    if case .follow(let request) = self { request } else { nil }
  }
  fileprivate var failure: LoadError.Kind? {
    if case .fail(let error) = self { error.kind } else { nil }
  }
}
