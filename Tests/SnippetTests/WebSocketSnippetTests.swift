import Foundation
import Snippets
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct WebSocketSnippetTests {
  private func url(_ server: TestServer, _ path: String) throws -> URL {
    try #require(URL(string: "ws" + server.url(path).absoluteString.dropFirst(4)))
  }

  @Test func questionsAreAnswered() async throws {
    try await withServer { server async throws in
      server.route("/echo", .GET, reply: .webSocket(WebSocketService(.echo)))
      #expect(try await answers(to: ["a", "b"], at: url(server, "/echo")) == ["a", "b"])
    }
  }

  @Test func aFeedEndsWithItsSocket() async throws {
    try await withServer { server async throws in
      let script: [WebSocketService.Step] = [.send(.text("1")), .send(.text("2")), .send(.close(1000)), .receive(1), .disconnect]
      server.route("/feed", .GET, reply: .webSocket(WebSocketService(.script(script), headers: ["Sec-WebSocket-Protocol": "feed.v1"])))
      #expect(try await feed(at: url(server, "/feed")) == ["1", "2"])
    }
  }
}
