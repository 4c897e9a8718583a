import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct DefaultHeaderRulesTests {
  @Test func plainGETHasTheDefaults() throws {
    let head = try outgoing(url: "http://h.example:8080/x")
    #expect(
      lines(head) == [
        "Host: h.example:8080", "Connection: keep-alive", "Accept: */*", "User-Agent: app/1", "Accept-Language: en-US,en;q=0.9",
        "Accept-Encoding: gzip, deflate",
      ])
    #expect(head.framing == .none)
    #expect(!head.closesConnection)
  }

  @Test func secureGETOffersBrotliAndZstandard() throws {
    #expect(try outgoing(url: "https://h.example/").fields.first("Accept-Encoding") == "gzip, deflate, br, zstd")
  }

  @Test(
    arguments: [
      (.gzip, "gzip", "gzip"), ([.gzip, .brotli], "gzip", "gzip, br"), ([.zstd], "identity", "zstd"),
      ([], "identity", "identity"),
    ] as [(ContentDecoders, String, String)])
  func acceptEncodingNamesTheDecoders(decoders: ContentDecoders, plain: String, secure: String) {
    #expect(decoders.acceptEncoding(secure: false) == plain)
    #expect(decoders.acceptEncoding(secure: true) == secure)
  }

  @Test func rangeAsksForIdentityUnlessTheAppSaysOtherwise() throws {
    #expect(try outgoing(headers: [("range", "bytes=0-1")]).fields.all("Accept-Encoding") == ["identity"])
    let both: [HeaderFields.Entry] = [("Range", "bytes=0-1"), ("accept-encoding", "gzip")]
    #expect(try outgoing(headers: both).fields.all("Accept-Encoding") == ["gzip"])
    #expect(try outgoing(additional: [("Range", "bytes=0-1")]).fields.all("Accept-Encoding") == ["identity"])
  }

  /// As in a request's fields. What could begin another field ends every load of the session.
  @Test func foldedFieldsOfTheSessionAreUnfolded() throws {
    #expect(try outgoing(additional: [("X-A", "a\r\n b\n\tc")]).fields.all("X-A") == ["a b c"])
    for value in ["a\r\nX-Injected: 1", "a\r\n", "a\r\n b\0"] {
      #expect(throws: LoadError.self, "\(value.debugDescription)") { try outgoing(additional: [("X-A", value)]) }
    }
  }

  @Test func requestOverridesSessionOverridesDefaults() throws {
    let head = try outgoing(
      headers: [("accept", "a/a"), ("X-Both", "request")],
      additional: [("Accept", "s/s"), ("user-agent", "mine"), ("x-both", "session"), ("X-Session", "1"), ("Accept-Language", "de")])
    #expect(head.fields.all("Accept") == ["a/a"])
    #expect(head.fields.all("User-Agent") == ["mine"])
    #expect(head.fields.all("X-Both") == ["request"])
    #expect(head.fields.all("X-Session") == ["1"])
    #expect(head.fields.all("Accept-Language") == ["de"])
  }

  @Test func repeatedFieldsKeepTheirOrder() throws {
    let head = try outgoing(
      headers: [("X-A", "1"), ("Accept", "a/a"), ("X-A", "2"), ("Accept", "b/b")], additional: [("X-B", "1"), ("X-B", "2")])
    #expect(head.fields.all("X-A") == ["1", "2"])
    #expect(head.fields.all("Accept") == ["a/a", "b/b"])
    #expect(head.fields.all("X-B") == ["1", "2"])
  }

  @Test func mergedFieldsShowTheSessionsUnderTheRequests() {
    let merged = defaults([("X-A", "s"), ("X-B", "s"), ("Connection", "close")]).merged(under: HeaderFields([("x-a", "r")]))
    #expect(merged == HeaderFields([("x-a", "r"), ("X-B", "s")]))
  }

  @Test func hostOfTheAppIsSentFirstAndOnce() throws {
    let head = try outgoing(headers: [("X", "1"), ("host", "v.example"), ("Host", "w.example")])
    #expect(lines(head)[0] == "Host: v.example")
    #expect(head.fields.all("Host").count == 1)
    #expect(try outgoing(additional: [("Host", "s.example:81")]).fields.all("Host") == ["s.example:81"])
    #expect(try outgoing(headers: [("Host", "r.example")], additional: [("Host", "s.example")]).fields.all("Host") == ["r.example"])
  }

  @Test(arguments: ["", "a b", "a/b", "a@b", "a,b", "a\\b", "a?b", "a#b", "ü.example", "a\u{7F}"])
  func impossibleHostIsRefused(host: String) {
    #expect(throws: LoadError.self) { try outgoing(headers: [("Host", host)]) }
    #expect(throws: LoadError.self) { try outgoing(additional: [("Host", host)]) }
  }

  @Test func connectionFieldsOfTheAppNeverReachTheWire() throws {
    let owned: [HeaderFields.Entry] = [
      ("Connection", "Upgrade, X-Secret"), ("Keep-Alive", "1"), ("Proxy-Connection", "close"), ("Proxy-Authorization", "Basic x"),
      ("Proxy-Authenticate", "x"), ("WWW-Authenticate", "x"), ("Transfer-Encoding", "chunked"), ("Trailer", "x"), ("Upgrade", "h2c"),
      ("Content-Length", "10"), ("TE", "gzip"),
    ]
    let expected = try lines(outgoing())
    #expect(try lines(outgoing(headers: owned)) == expected)
    #expect(try lines(outgoing(additional: owned)) == expected)
  }

  @Test func closeAskedForIsAnnounced() throws {
    let head = try outgoing(headers: [("connection", "foo, Close")])
    #expect(head.fields.all("Connection") == ["close"])
    #expect(head.closesConnection)
  }

  @Test func trailersAreAcceptedWithTheirConnectionOption() throws {
    let head = try outgoing(headers: [("te", "Trailers")])
    #expect(head.fields.all("TE") == ["trailers"])
    #expect(head.fields.all("Connection") == ["keep-alive, TE"])
    let closing = try outgoing(headers: [("TE", "trailers"), ("Connection", "close")])
    #expect(closing.fields.all("Connection") == ["close, TE"])
  }

  @Test func formTypeIsTheDefaultForABodyOfPOSTOnly() throws {
    let type = "application/x-www-form-urlencoded"
    #expect(try outgoing(method: "POST", body: data).fields.all("Content-Type") == [type])
    #expect(try outgoing(method: "POST", body: .stream(InputStream(data: Data()))).fields.all("Content-Type") == [type])
    #expect(try outgoing(method: "POST", body: .suppliedStream()).fields.all("Content-Type") == [type])
    #expect(try outgoing(method: "POST", body: .file(URL(filePath: "/a"))).fields.all("Content-Type") == [type])
    #expect(try outgoing(method: "POST", body: .data(Data())).fields.all("Content-Type") == [])
    for method in ["PUT", "PATCH", "DELETE", "post", "REPORT"] {
      #expect(try outgoing(method: method, body: data).fields.all("Content-Type") == [])
    }
    #expect(try outgoing(method: "POST", body: data, headers: [("content-type", "a/b")]).fields.all("Content-Type") == ["a/b"])
    #expect(try outgoing(method: "POST", body: data, additional: [("Content-Type", "c/d")]).fields.all("Content-Type") == ["c/d"])
    #expect(try outgoing(method: "POST").fields.all("Content-Type") == [])
  }

  @Test func framingIsWrittenOnce() throws {
    let wrong: [HeaderFields.Entry] = [("Content-Length", "99"), ("Transfer-Encoding", "gzip, chunked"), ("content-length", "5")]
    let fixed = try outgoing(method: "POST", body: data, headers: wrong)
    #expect(fixed.fields.all("Content-Length") == ["3"])
    #expect(!fixed.fields.contains("Transfer-Encoding"))
    let streamed = try outgoing(method: "POST", body: .stream(InputStream(data: Data())), headers: wrong)
    #expect(streamed.fields.all("Transfer-Encoding") == ["chunked"])
    #expect(!streamed.fields.contains("Content-Length"))
  }

  @Test func announcedLengthFramesAStream() throws {
    let stream = LoadRequest.Body.stream(InputStream(data: Data()))
    let head = try outgoing(method: "PUT", body: stream, headers: [("Content-Length", " 7 "), ("content-length", "7")])
    #expect(head.framing == .length(7))
    #expect(head.fields.all("Content-Length") == ["7"])
    for value in ["+7", "-1", "", "7, 7", "0x7", "99999999999999999999"] {
      #expect(try outgoing(method: "PUT", body: stream, headers: [("Content-Length", value)]).framing == .chunked)
    }
  }

  @Test func credentialsOfTheSessionStayWithTheFirstOrigin() throws {
    let additional: [HeaderFields.Entry] = [("Authorization", "Bearer s"), ("cookie", "a=b"), ("Host", "v.example"), ("X-Key", "k")]
    let first = try outgoing(additional: additional)
    #expect(first.fields.first("Authorization") == "Bearer s")
    let later = try outgoing(additional: additional, hasLeftOrigin: true)
    #expect(!later.fields.contains("Authorization"))
    #expect(!later.fields.contains("Cookie"))
    #expect(first.fields.all("Host") == ["v.example"])
    #expect(later.fields.all("Host") == ["h.example"])
    #expect(later.fields.first("X-Key") == "k")
  }

  @Test func sessionWithAnUnsendableHeaderFailsEachLoad() {
    let error = #expect(throws: LoadError.self) { try outgoing(additional: [("X-Bad", "secret\r\nX: y")]) }
    #expect(error?.message.contains("X-Bad") == true)
    #expect(error?.message.contains("secret") == false)
  }

  private let data = LoadRequest.Body.data(Data("abc".utf8))

  private func defaults(_ additional: [HeaderFields.Entry] = []) -> SessionHeaderDefaults {
    SessionHeaderDefaults(
      additional: HeaderFields(additional), acceptEncoding: AcceptEncoding([.gzip, .deflate, .brotli, .zstd]), userAgent: "app/1",
      acceptLanguage: AcceptLanguageRules.value(for: ["en-US"]))
  }

  private func outgoing(
    url: String = "http://h.example/", method: String = "GET", body: LoadRequest.Body = .none, headers: [HeaderFields.Entry] = [],
    additional: [HeaderFields.Entry] = [], hasLeftOrigin: Bool = false
  ) throws -> OutgoingHead {
    var request = LoadRequest(url: URL(string: url))
    request.mutate {
      $0.method = method
      $0.body = body
      $0.headers = HeaderFields(headers)
    }
    return try DefaultHeaderRules.outgoing(
      request, target: try #require(request.target), defaults: defaults(additional), hasLeftOrigin: hasLeftOrigin)
  }

  private func lines(_ head: OutgoingHead) -> [String] { head.fields.entries.map { "\($0.name): \($0.value)" } }
}
