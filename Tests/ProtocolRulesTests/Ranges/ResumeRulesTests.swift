import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct ResumeRulesTests {
  private let now = Date(timeIntervalSince1970: 784_111_777 + 86_400)
  private let modified = "Sun, 06 Nov 1994 08:49:37 GMT"

  private func request(_ method: String = "GET", _ fields: [HeaderFields.Entry] = []) -> LoadRequest {
    var request = LoadRequest(url: URL(string: "http://a.example/f"))
    request.mutate {
      $0.method = method
      $0.headers = HeaderFields(fields)
    }
    return request
  }

  private func head(_ status: Int, _ fields: [HeaderFields.Entry]) -> ResponseHead {
    ResponseHead(status: status, headers: HeaderFields(fields))
  }

  private func validator(_ status: Int, _ fields: [HeaderFields.Entry]) -> String? {
    ResumeRules.validator(request(), head(status, fields), received: now)?.ifRange
  }

  // MARK: what can be resumed

  @Test func strongTagAllowsResumption() {
    #expect(validator(200, [("ETag", "\"a\"")]) == "\"a\"")
    #expect(validator(206, [("ETag", " \"a b\" "), ("Accept-Ranges", "bytes")]) == "\"a b\"")
  }

  @Test(arguments: ["W/\"a\"", "a", "\"", "", "\"a", "a\"", "\"a\u{1}\""])
  func otherTagDoesNot(tag: String) {
    #expect(validator(200, [("ETag", tag)]) == nil)
  }

  @Test func dateStandsInForAWeakTag() {
    #expect(validator(200, [("ETag", "W/\"a\""), ("Last-Modified", modified)]) == modified)
  }

  @Test func dateMustBeASecondOlderThanTheAnswer() {
    #expect(validator(200, [("Last-Modified", modified), ("Date", "Sun, 06 Nov 1994 08:49:38 GMT")]) == modified)
    #expect(validator(200, [("Last-Modified", modified), ("Date", modified)]) == nil)
    // Without Date, the time of receipt, by a clock that may differ from the server's.
    #expect(validator(200, [("Last-Modified", modified)]) == modified)
    #expect(validator(200, [("Last-Modified", "Mon, 07 Nov 1994 08:48:37 GMT")]) == "Mon, 07 Nov 1994 08:48:37 GMT")
    #expect(validator(200, [("Last-Modified", "Mon, 07 Nov 1994 08:48:38 GMT")]) == nil)
    #expect(validator(200, [("Last-Modified", "yesterday")]) == nil)
  }

  @Test func keptValidatorIsReadBack() {
    #expect(ResumeValidator(ifRange: "\"a\"") == ResumeValidator(tag: "\"a\""))
    #expect(ResumeValidator(ifRange: modified) == ResumeValidator(date: modified))
    #expect(ResumeValidator(ifRange: "W/\"a\"") == nil)
  }

  @Test func encodedOrRangelessBodiesCannotBeResumed() {
    let tag = ("ETag", "\"a\"")
    #expect(validator(200, [tag, ("Content-Encoding", "gzip")]) == nil)
    #expect(validator(200, [tag, ("Content-Encoding", "identity")]) == "\"a\"")
    #expect(validator(200, [tag, ("Accept-Ranges", "none")]) == nil)
    #expect(validator(404, [tag]) == nil)
    #expect(validator(200, []) == nil)
  }

  @Test func onlyGetWithoutARangeOfItsOwn() {
    let answer = head(200, [("ETag", "\"a\"")])
    #expect(ResumeRules.validator(request("POST"), answer, received: now) == nil)
    #expect(ResumeRules.validator(request("GET", [("range", "bytes=5-")]), answer, received: now) == nil)
  }

  // MARK: asking

  @Test func asksForTheRestOfTheSameVersion() throws {
    var headers = HeaderFields([("Accept-Encoding", "gzip"), ("range", "bytes=0-1")])
    ResumeRules.ask(&headers, offset: 17, try #require(ResumeValidator(tag: "\"a\"")))
    #expect(headers.all("Range") == ["bytes=17-"])
    #expect(headers.all("If-Range") == ["\"a\""])
    #expect(headers.all("Accept-Encoding") == ["identity"])
  }

  @Test func completeFileIsAskedForItsLastByte() {
    #expect(ResumeRules.offset(present: 10, total: 10) == 9)
    #expect(ResumeRules.offset(present: 12, total: 10) == 9)
    #expect(ResumeRules.offset(present: 4, total: 10) == 4)
    #expect(ResumeRules.offset(present: 4, total: nil) == 4)
    #expect(ResumeRules.offset(present: 0, total: 0) == 0)
    #expect(ResumeRules.offset(present: -1, total: nil) == 0)
  }

  // MARK: the answer

  private func decision(_ status: Int, _ fields: [HeaderFields.Entry], total: Int64? = 100) throws -> String {
    let tag = try #require(ResumeValidator(tag: "\"a\""))
    switch ResumeRules.decide(head(status, fields), offset: 40, total: total, tag) {
    case .append(let total): return "append \(total.map(String.init) ?? "?")"
    case .startOver: return "start over"
    case .aside: return "aside"
    case .askAnew: return "ask anew"
    }
  }

  @Test func matchingPartIsAppended() throws {
    #expect(try decision(206, [("Content-Range", "bytes 40-99/100"), ("ETag", "\"a\"")]) == "append 100")
    #expect(try decision(206, [("Content-Range", "bytes 40-49/*")]) == "append 100")
    #expect(try decision(206, [("Content-Range", "bytes 40-99/100")], total: nil) == "append 100")
    #expect(try decision(206, [("Content-Range", "bytes 40-49/*")], total: nil) == "append ?")
  }

  @Test(arguments: [
    "bytes 0-99/100", "bytes 41-99/100", "bytes 40-199/200", "bytes 40-100/100", "bytes 40-100/*", "bytes */100", "items 40-99/100", "",
    "bytes 40-39/100",
  ])
  func wrongPartIsAskedForAnew(range: String) throws {
    #expect(try decision(206, [("Content-Range", range)]) == "ask anew")
  }

  @Test func partOfAnotherLengthThanItsBodyIsAskedForAnew() throws {
    #expect(try decision(206, [("Content-Range", "bytes 40-99/100"), ("Content-Length", "60")]) == "append 100")
    #expect(try decision(206, [("Content-Range", "bytes 40-99/100"), ("Content-Length", "61")]) == "ask anew")
    #expect(try decision(206, [("Content-Range", "bytes 40-49/*"), ("Content-Length", "\(Int64.max)")], total: nil) == "ask anew")
    #expect(try decision(206, [("Content-Range", "bytes 40-149/*")]) == "ask anew")
  }

  @Test func lastPositionThatIsOneTooFarIsTakenWhereTheBodysLengthFits() throws {
    #expect(try decision(206, [("Content-Range", "bytes 40-100/100"), ("Content-Length", "60")]) == "append 100")
    #expect(try decision(206, [("Content-Range", "bytes 40-100/*"), ("Content-Length", "60")]) == "append 100")
    // Of no part at the end of its resource.
    #expect(try decision(206, [("Content-Range", "bytes 40-50/100"), ("Content-Length", "10")]) == "ask anew")
    #expect(try decision(206, [("Content-Range", "bytes 40-100/100"), ("Content-Length", "61")]) == "ask anew")
    #expect(try decision(206, [("Content-Range", "bytes 40-40/40"), ("Content-Length", "0")]) == "ask anew")
  }

  @Test func partWithoutPlaceIsAskedForAnew() throws {
    #expect(try decision(206, []) == "ask anew")
    #expect(try decision(206, [("Content-Type", "multipart/byteranges; boundary=x")]) == "ask anew")
  }

  @Test func partEndsWhereItAnnouncesThat() {
    func end(_ fields: [HeaderFields.Entry]) -> Int64? { ResumeRules.end(ofPart: head(206, fields)) }
    #expect(end([("Content-Range", "bytes 40-49/100")]) == 50)
    #expect(end([("Content-Range", "bytes 40-49/*")]) == 50)
    #expect(end([("Content-Range", "bytes 40-100/100"), ("Content-Length", "60")]) == 100)
    #expect(end([("Content-Range", "bytes */100")]) == nil)
    #expect(end([]) == nil)
  }

  @Test func partOfAnotherVersionIsAskedForAnew() throws {
    #expect(try decision(206, [("Content-Range", "bytes 40-99/100"), ("ETag", "\"b\"")]) == "ask anew")
    #expect(try decision(206, [("Content-Range", "bytes 40-99/100"), ("Content-Encoding", "gzip")]) == "ask anew")
  }

  @Test func otherAnswers() throws {
    #expect(try decision(200, []) == "start over")
    #expect(try decision(416, [("Content-Range", "bytes */10")]) == "ask anew")
    #expect(try decision(404, []) == "aside")
    #expect(try decision(503, []) == "aside")
  }

  // MARK: attempts that are repeated

  @Test func attemptThatIsRepeatedTakesNoErrorPageForAnAnswer() {
    func decide(_ status: Int) -> String {
      guard let decision = ResumeRules.decideForLater(.aside, status: status) else { return "failed" }
      return switch decision {
      case .append: "append"
      case .startOver: "startOver"
      case .aside: "aside"
      case .askAnew: "askAnew"
      }
    }
    #expect([408, 425, 429, 500, 502, 503, 504, 520, 599].map(decide).allSatisfy { $0 == "failed" })
    #expect([204, 301, 400, 401, 403, 404, 410, 501, 505].map(decide).allSatisfy { $0 == "askAnew" })
    #expect(decide(304) == "startOver")
    guard case .append(total: 9)? = ResumeRules.decideForLater(.append(total: 9), status: 206) else {
      Issue.record("a part is what was asked for")
      return
    }
  }
}
