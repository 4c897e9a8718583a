import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct StoredFieldRulesTests {
  private func lines(_ head: ResponseHead) -> [String] { head.headers.entries.map { "\($0.name): \($0.value)" } }

  @Test func fieldsOfOneConnectionAreNotStored() {
    let head = ResponseHead(
      status: 200,
      headers: HeaderFields([
        ("A", "1"), ("Connection", "B, c, keep-alive"), ("B", "2"), ("C", "3"), ("Keep-Alive", "x"), ("Proxy-Connection", "x"), ("TE", "x"),
        ("Transfer-Encoding", "chunked"), ("Upgrade", "x"), ("Proxy-Authenticate", "x"), ("Proxy-Authentication-Info", "x"),
        ("Proxy-Authorization", "x"), ("Set-Cookie", "y"), ("Content-Length", "3"), ("Date", date(0)),
      ]))
    #expect(
      lines(StoredFieldRules.storable(head, receivedAt: received)) == ["A: 1", "Set-Cookie: y", "Content-Length: 3", "Date: \(date(0))"])
  }

  /// As many names as fit into a head: comparing each field with each of them would take minutes.
  @Test(.timeLimit(.minutes(1))) func anyNumberOfNamedFieldsIsLeftOut() {
    let names = (0..<30_000).map { "n\($0)" }.joined(separator: ", ")
    let fields: [HeaderFields.Entry] = (0..<4000).map { ("N\($0 * 10)", "x") }
    var head = ResponseHead(status: 200, headers: HeaderFields(fields))
    head.headers.add("Connection", names)
    head.headers.add("Date", date(0))
    let kept = StoredFieldRules.storable(head, receivedAt: received)
    #expect(kept.headers.count == 1 + 1000)
    #expect(kept.headers.first("N30000") == "x")
    let facts = stored(fields + [("Cache-Control", "no-cache=\"\(names)\"")])
    #expect(StoredFieldRules.served(facts, now: received).headers.count == 2 + 1000)
  }

  @Test func aMissingDateIsTheTimeOfReceipt() {
    let head = StoredFieldRules.storable(ResponseHead(status: 200, headers: HeaderFields()), receivedAt: received)
    #expect(lines(head) == ["Date: Sun, 06 Nov 1994 08:49:37 GMT"])
  }

  @Test func a304ReplacesTheFieldsThatItHas() {
    let old = ResponseHead(
      status: 200, reason: "OK",
      headers: HeaderFields([
        ("Cache-Control", "max-age=1"), ("Content-Length", "10"), ("Content-Type", "text/plain"), ("Content-Encoding", "gzip"),
        ("ETag", "\"a\""),
        ("X", "1"), ("X", "2"), ("Y", "3"), ("Age", "7"), ("Date", date(0)),
      ]))
    let answer = ResponseHead(
      status: 304,
      headers: HeaderFields([
        ("Cache-Control", "max-age=60"), ("Content-Length", "0"), ("Content-Type", "text/html"), ("Content-Encoding", "br"),
        ("Content-Range", "bytes 0-1/2"), ("ETag", "\"b\""), ("x", "4"), ("Connection", "Z"), ("Z", "5"),
      ]))
    let updated = StoredFieldRules.updated(old, by: answer, receivedAt: received.addingTimeInterval(9))
    #expect(updated.status == 200)
    #expect(updated.reason == "OK")
    #expect(
      lines(updated) == [
        "Content-Length: 10", "Content-Encoding: gzip", "Y: 3", "Cache-Control: max-age=60", "Content-Type: text/html", "ETag: \"b\"",
        "x: 4",
        "Date: \(date(9))",
      ])
  }

  @Test func whatIsServedHasItsAgeAndLacksReservedFields() {
    let facts = stored([("Cache-Control", "max-age=60, no-cache=\"a, B\""), ("A", "1"), ("b", "2"), ("C", "3"), ("Age", "5")])
    let served = StoredFieldRules.served(facts, now: received.addingTimeInterval(10.7))
    #expect(lines(served) == ["Cache-Control: max-age=60, no-cache=\"a, B\"", "C: 3", "Age: 15"])
  }

  @Test(
    arguments: [
      (200, [("ETag", "\"a\"")], .update), (200, [("ETag", "\"b\"")], .remove), (200, [], .update),
      (200, [("Content-Length", "10")], .update), (200, [("Content-Length", "11")], .remove), (200, [("Last-Modified", "y")], .remove),
      (200, [("Last-Modified", "x")], .update), (410, [], .remove), (404, [], .remove), (500, [], .keep), (304, [], .keep),
      (301, [], .keep),
    ] as [(Int, [HeaderFields.Entry], InvalidationRules.HeadDecision)])
  func headConfirmsOrOutdates(status: Int, fields: [HeaderFields.Entry], expected: InvalidationRules.HeadDecision) {
    let facts = stored([("ETag", "\"a\""), ("Last-Modified", "x")])
    #expect(InvalidationRules.decide(head: ResponseHead(status: status, headers: HeaderFields(fields)), stored: facts) == expected)
  }

  @Test(
    arguments: [
      ("\"1\"", "\"1\"", true), ("\"1\"", "\"2\"", false), ("W/\"1\"", "\"1\"", true), ("\"1\"", " W/\"1\" ", true),
      ("W/\"1\"", "W/\"2\"", false), ("\"1-gzip\"", "\"1\"", true), ("\"1\"", "W/\"1-br\"", true), ("\"1-gzip\"", "\"2-gzip\"", false),
      ("\"1\"", nil, true), (nil, "\"2\"", true), ("\"1\"", "", true), ("1", "2", false), ("\"", "\"", true),
    ] as [(String?, String?, Bool)])
  func notModifiedWithTheTagOfAnotherVersionConfirmsNothing(old: String?, new: String?, expected: Bool) {
    func head(_ status: Int, _ tag: String?) -> ResponseHead {
      ResponseHead(status: status, headers: HeaderFields(tag.map { [("ETag", $0)] } ?? []))
    }
    #expect(InvalidationRules.confirms(head(304, new), stored: head(200, old)) == expected)
  }

  @Test func headWithAValidatorThatTheStoredResponseLacksOutdatesIt() {
    for name in ["ETag", "Last-Modified"] {
      let head = ResponseHead(status: 200, headers: HeaderFields([(name, "new")]))
      #expect(InvalidationRules.decide(head: head, stored: stored([])) == .remove)
    }
    let coded = ResponseHead(status: 200, headers: HeaderFields([("Content-Encoding", "gzip")]))
    #expect(InvalidationRules.decide(head: coded, stored: stored([])) == .update)
  }

  @Test(
    arguments: [
      ([], [], "", .update), ([], [("Cache-Control", "no-store")], "", .remove),
      ([], [("Cache-Control", "no-store, must-understand")], "", .update), ([], [("Vary", "*")], "", .remove),
      ([], [("Vary", "A")], "", .storeAnew), ([("Vary", "a, B")], [("Vary", "b,A")], "", .update),
      ([("Vary", "A")], [("Vary", "A, B")], "", .storeAnew), ([], [], "no-store", .keep),
      ([("Vary", "A")], [("Vary", "A"), ("Cache-Control", "no-store")], "no-store", .remove),
    ] as [([HeaderFields.Entry], [HeaderFields.Entry], String, InvalidationRules.ConfirmedDecision)])
  func whatAConfirmationBringsMustBeStorable(
    old: [HeaderFields.Entry], new: [HeaderFields.Entry], wish: String, expected: InvalidationRules.ConfirmedDecision
  ) {
    let request = request(wish.isEmpty ? [] : [("Cache-Control", wish)])
    let head = ResponseHead(status: 200, headers: HeaderFields(new))
    #expect(InvalidationRules.decide(updated: head, stored: stored(old), request: request) == expected)
  }

  @Test(
    arguments: [
      ("POST", 200, [], ["/a"]), ("PUT", 201, [], ["/a"]), ("DELETE", 204, [], ["/a"]), ("M-SEARCH", 200, [], ["/a"]),
      ("PATCH", 303, [], ["/a"]),
      ("POST", 500, [], []), ("POST", 404, [], []), ("GET", 200, [], []), ("HEAD", 200, [], []), ("OPTIONS", 200, [], []),
      ("POST", 201, [("Location", "/b?c")], ["/a", "/b?c"]), ("POST", 200, [("Content-Location", "http://H:80/d#e")], ["/a", "/d"]),
      ("POST", 200, [("Location", "https://h/b")], ["/a"]), ("POST", 200, [("Location", "http://other/b")], ["/a"]),
      ("POST", 200, [("Location", "b"), ("Content-Location", "/a")], ["/a", "/b"]),
    ] as [(String, Int, [HeaderFields.Entry], [String])])
  func unsafeMethodsOutdateWhatTheyName(method: String, status: Int, fields: [HeaderFields.Entry], expected: [String]) {
    let head = ResponseHead(status: status, headers: HeaderFields(fields))
    #expect(InvalidationRules.outdated(by: head, request: request(method: method)).map(\.pathAndQuery) == expected)
  }

  @Test(
    arguments: [
      ([("Range", "bytes=2-4")], 206, "bytes 2-4/10"), ([("Range", "bytes=-3")], 206, "bytes 7-9/10"),
      ([("Range", "bytes=8-")], 206, "bytes 8-9/10"), ([("Range", "bytes=10-")], 416, "bytes */10"),
      ([("Range", "bytes=0-0, 2-3")], 200, ""),
      ([("Range", "lines=1-2")], 200, ""), ([], 200, ""), ([("Range", "bytes=0-1"), ("If-Range", "\"a\"")], 206, "bytes 0-1/10"),
      ([("Range", "bytes=0-1"), ("If-Range", "\"b\"")], 200, ""), ([("Range", "bytes=0-1"), ("If-Range", "W/\"a\"")], 200, ""),
      ([("Range", "bytes=0-1"), ("If-Range", date(-9))], 206, "bytes 0-1/10"), ([("Range", "bytes=0-1"), ("If-Range", date(-8))], 200, ""),
    ] as [([HeaderFields.Entry], Int, String)])
  func rangesComeFromTheWhole(fields: [HeaderFields.Entry], status: Int, range: String) {
    let head = ResponseHead(
      status: 200, headers: HeaderFields([("ETag", "\"a\""), ("Last-Modified", date(-9)), ("Content-Length", "10")]))
    switch StoredRangeRules.decide(request(fields), head: head, length: 10) {
    case .whole: #expect(status == 200)
    case .part(let part, let head):
      #expect(status == 206)
      #expect(head.status == 206)
      #expect(head.headers.all("Content-Range") == [range])
      #expect(head.headers.all("Content-Length") == [String(part.count)])
      #expect(head.headers.first("ETag") == "\"a\"")
    case .unsatisfiable(let head):
      #expect(status == 416)
      #expect(head.headers.first("Content-Range") == range)
    case .unusable: Issue.record("a plain body can answer a range")
    }
  }

  @Test func encodedBytesCannotAnswerARange() {
    let head = ResponseHead(status: 200, headers: HeaderFields([("Content-Encoding", "gzip")]))
    guard case .unusable = StoredRangeRules.decide(request([("Range", "bytes=0-1")]), head: head, length: 10) else {
      Issue.record("the app counts decoded bytes")
      return
    }
  }
}
