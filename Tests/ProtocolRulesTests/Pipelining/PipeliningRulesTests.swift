import Foundation
import LoadingModel
import Testing

@testable import ProtocolRules

@Suite struct PipeliningRulesTests {
  private func request(_ method: String, _ body: LoadRequest.Body = .none) -> LoadRequest {
    var request = LoadRequest(url: URL(string: "http://a/"))
    request.mutate {
      $0.method = method
      $0.body = body
    }
    return request
  }

  @Test func safeMethodsWithoutABodyAreAllowed() {
    for method in ["GET", "OPTIONS"] { #expect(PipeliningRules.allows(request(method), closesConnection: false)) }
    for method in ["POST", "PUT", "DELETE", "PATCH", "get", "HEAD"] {
      #expect(!PipeliningRules.allows(request(method), closesConnection: false))
    }
    #expect(!PipeliningRules.allows(request("OPTIONS", .data(Data("x".utf8))), closesConnection: false))
    #expect(!PipeliningRules.allows(request("GET"), closesConnection: true))
  }

  @Test func serversShowThatTheyCan() {
    func shows(_ version: String, _ server: String? = nil) -> Bool {
      PipeliningRules.shows(
        ResponseHead(status: 200, version: version, headers: HeaderFields(server.map { [("Server", $0)] } ?? [])))
    }
    #expect(shows("HTTP/1.1"))
    #expect(shows("HTTP/1.1", "nginx/1.22.1") && shows("HTTP/1.1", "Microsoft-IIS/10.0"))
    #expect(!shows("HTTP/1.0"))
    #expect(!shows("HTTP/1.1", "Microsoft-IIS/5.0"))
  }
}
