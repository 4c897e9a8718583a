import Foundation
import Testing
import URLLoadingSystem

@Suite struct ProblemDetailsTests {
  private func response(_ status: Int, _ type: String = "application/problem+json; charset=utf-8") throws -> HTTPURLResponse {
    let url = try #require(URL(string: "https://example.com/orders/1"))
    return try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: ["Content-Type": type]))
  }

  private func problem(_ json: String, _ status: Int = 403) throws -> URLSessionProblemDetails? {
    URLSessionProblemDetails(try response(status), Data(json.utf8))
  }

  @Test func membersAreRead() throws {
    let problem = try #require(
      try problem(
        #"{"type":"/probs/credit","title":"Too little credit.","status":400,"detail":"30, but 50","instance":"?x","balance":30,"to":["a",null]}"#
      ))
    #expect(problem.type == "https://example.com/probs/credit" && problem.title == "Too little credit." && problem.status == 400)
    #expect(problem.detail == "30, but 50" && problem.instance == "https://example.com/orders/1?x")
    #expect(problem.extensions == ["balance": .number(30), "to": .array([.string("a"), .null])])
    #expect(problem.description == "Too little credit.: 30, but 50" && problem.localizedDescription == problem.description)
  }

  @Test(arguments: [#"{"type":7,"title":[],"status":"x","detail":null}"#, "{}"]) func membersOfAnotherKindAreAbsent(_ json: String) throws {
    #expect(try problem(json) == URLSessionProblemDetails(status: 403))
  }

  @Test(arguments: ["", "[]", "7", "{", "null"]) func whatIsNoObjectIsNoProblem(_ json: String) throws {
    #expect(try problem(json) == nil)
  }

  @Test func otherMediaTypesArentRead() throws {
    #expect(URLSessionProblemDetails(try response(403, "application/json"), Data("{}".utf8)) == nil)
  }

  @Test func problemsAreWrittenAsTheyAreRead() throws {
    let problem = URLSessionProblemDetails(type: "a:b", title: "t", status: 500, extensions: ["deep": .object(["x": .bool(true)])])
    let coded = try JSONEncoder().encode(problem)
    #expect(try JSONDecoder().decode(URLSessionProblemDetails.self, from: coded) == problem)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(URLSessionProblemDetails.self, from: Data("[]".utf8)) }
  }

  @Test func validationThrowsFrom400On() throws {
    try response(399).validate()
    let plain = #expect(throws: URLSessionProblemDetails.self) { try response(404, "text/plain").validate(Data("no".utf8)) }
    #expect(plain == URLSessionProblemDetails(title: "not found", status: 404))
    let told = #expect(throws: URLSessionProblemDetails.self) { try response(503).validate(Data(#"{"title":"Later"}"#.utf8)) }
    #expect(told?.title == "Later" && told?.status == 503)
  }
}
