import LoadingModel
import ProtocolRules
import Testing

struct ResponseBodyRulesTests {
  @Test(arguments: [("HEAD", 200), ("GET", 100), ("GET", 101), ("GET", 103), ("GET", 204), ("POST", 304), ("CONNECT", 200)])
  func someResponsesNeverHaveABody(method: String, status: Int) throws {
    for fields: [HeaderFields.Entry] in [[], [("Content-Length", "5")], [("Transfer-Encoding", "chunked")], [("Content-Length", "x")]] {
      #expect(try framing(fields, method: method, status: status) == .none)
    }
  }

  @Test(
    arguments: [
      ([("Content-Length", "5")], .length(5)),
      ([("content-length", " 0 ")], .length(0)),
      ([("Content-Length", "5, 5")], .length(5)),
      ([("Content-Length", "5"), ("content-length", "5")], .length(5)),
      ([("Transfer-Encoding", "chunked")], .chunked),
      ([("transfer-encoding", "identity, Chunked")], .chunked),
      ([("Transfer-Encoding", ""), ("Transfer-Encoding", "chunked")], .chunked),
      ([("Transfer-Encoding", "chunked"), ("Content-Length", "5")], .chunked),
      ([("Transfer-Encoding", "identity"), ("Content-Length", "5")], .length(5)),
      ([("Content-Type", "text/plain")], .untilClose),
      ([], .untilClose),
      // As browsers do: an unknown coding alone leaves the body as it is, and chunked twice is chunked.
      ([("Transfer-Encoding", "gzip")], .untilClose),
      ([("Transfer-Encoding", "xchunked")], .untilClose),
      ([("Transfer-Encoding", "chunked, chunked")], .chunked),
      ([("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "Chunked")], .chunked),
    ] as [([HeaderFields.Entry], ResponseBodyFraming)])
  func fieldsDecideTheFraming(fields: [HeaderFields.Entry], expected: ResponseBodyFraming) throws {
    #expect(try framing(fields) == expected)
  }

  @Test(
    arguments: [
      [("Content-Length", "")], [("Content-Length", "x")], [("Content-Length", "-1")], [("Content-Length", "+1")],
      [("Content-Length", "1.0")], [("Content-Length", "5, 6")], [("Content-Length", "5,")], [("Content-Length", "5 5")],
      [("Content-Length", "5"), ("Content-Length", "6")], [("Content-Length", "99999999999999999999")],
      [("Transfer-Encoding", "gzip, chunked")], [("Transfer-Encoding", "gzip"), ("Content-Length", "5")],
      [("Transfer-Encoding", "gzip, br")], [("Transfer-Encoding", "chunked, gzip")], [("Transfer-Encoding", "chunked, identity, x")],
      [("Transfer-Encoding", "chunked"), ("Content-Length", "x")],
    ] as [[HeaderFields.Entry]])
  func contradictoryFramingCannotBeParsed(fields: [HeaderFields.Entry]) {
    let error = #expect(throws: LoadError.self) { try framing(fields) }
    #expect(error?.kind == .cannotParseResponse)
    #expect(error?.phase == .head)
  }

  @Test(arguments: ["HTTP/2", "HTTP/3"])
  func transferEncodingDoesNotExistAboveHTTP1(version: String) throws {
    #expect(try framing([("transfer-encoding", "chunked")], version: version) == .untilClose)
    #expect(try framing([("content-length", "4")], version: version) == .length(4))
    #expect(try keeps([("connection", "close")], version: version))
  }

  @Test(
    arguments: [
      ("HTTP/1.1", [("Content-Length", "1")], true),
      ("HTTP/1.1", [("Content-Length", "1"), ("Connection", "close")], false),
      ("HTTP/1.1", [("Content-Length", "1"), ("connection", "foo , CLOSE")], false),
      ("HTTP/1.1", [("Content-Length", "1"), ("Connection", "keep-alive"), ("Connection", "close")], false),
      ("HTTP/1.1", [("Content-Length", "1"), ("Connection", "closed")], true),
      ("HTTP/1.1", [("Transfer-Encoding", "chunked")], true),
      ("HTTP/1.1", [("Transfer-Encoding", "chunked"), ("Content-Length", "1")], false),
      ("HTTP/1.1", [("Transfer-Encoding", "chunked, chunked")], false),
      ("HTTP/1.1", [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")], false),
      ("HTTP/1.1", [("Transfer-Encoding", "gzip")], false),
      ("HTTP/1.1", [], false),
      ("HTTP/1.0", [("Content-Length", "1")], false),
      ("HTTP/1.0", [("Content-Length", "1"), ("Connection", "Keep-Alive")], true),
      ("HTTP/1.0", [("Transfer-Encoding", "chunked"), ("Connection", "keep-alive")], false),
      ("HTTP/1.0", [("Connection", "keep-alive")], false),
      ("HTTP/0.9", [("Content-Length", "1"), ("Connection", "keep-alive")], false),
    ] as [(String, [HeaderFields.Entry], Bool)])
  func persistenceFollowsVersionAndFields(version: String, fields: [HeaderFields.Entry], expected: Bool) throws {
    #expect(try keeps(fields, version: version) == expected)
  }

  @Test func requestMayEndTheConnection() throws {
    #expect(try !keeps([("Content-Length", "1")], requestedClose: true))
  }

  @Test func upgradesAndTunnelsAreNotReused() throws {
    #expect(try !keeps([], status: 101))
    #expect(try !keeps([], method: "CONNECT", status: 200))
    #expect(try keeps([("Content-Length", "0")], method: "CONNECT", status: 407))
    #expect(try keeps([], method: "HEAD"))
    #expect(try keeps([], status: 204))
    #expect(try keeps([], status: 304))
  }

  private func head(_ fields: [HeaderFields.Entry], _ status: Int, _ version: String) -> ResponseHead {
    ResponseHead(status: status, version: version, headers: HeaderFields(fields))
  }

  private func framing(
    _ fields: [HeaderFields.Entry], method: String = "GET", status: Int = 200, version: String = "HTTP/1.1"
  ) throws -> ResponseBodyFraming {
    try ResponseBodyRules.framing(method: method, head: head(fields, status, version))
  }

  private func keeps(
    _ fields: [HeaderFields.Entry], method: String = "GET", status: Int = 200, version: String = "HTTP/1.1", requestedClose: Bool = false
  ) throws -> Bool {
    let head = head(fields, status, version)
    let framing = try ResponseBodyRules.framing(method: method, head: head)
    return ResponseBodyRules.keepsConnection(method: method, head: head, framing: framing, requestedClose: requestedClose)
  }
}
