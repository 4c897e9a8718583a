import Foundation
import Snippets
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct AdditionSnippetTests {
  private static func stream(_ text: String) -> Reply { Reply(headers: ["Content-Type": "text/event-stream"], body: .text(text)) }

  @Test func answerIsPutTogetherFromItsPieces() async throws {
    try await TestServer.with { server async throws in
      let text = "data: {\"text\":\"Hello\"}\n\n: keep-alive\n\ndata: {\"text\":\", world\"}\n\ndata: [DONE]\n\n"
      server.route("/", reply: Self.stream(text))
      #expect(try await answer(to: URLRequest(url: server.url())) == "Hello, world")
    }
  }

  @Test func newsAreReadOverSeveralConnections() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(Self.stream("retry: 0\nevent: news\ndata: a\n\ndata: other\n\n"), Self.stream("event: news\ndata: b\n\n"))
      #expect(try await news(from: server.url(), count: 2) == ["a", "b"])
    }
  }

  @Test func errorsAreFoundInALog() async throws {
    try await TestServer.with { server async throws in
      let log = "{\"level\":\"info\",\"message\":\"a\"}\n{\"level\":\"error\",\"message\":\"b\"}\n"
      server.route("/", reply: .text(log))
      #expect(try await errors(inLogAt: server.url()).map(\.message) == ["b"])
    }
  }

  @Test func photoIsPostedAsAForm() async throws {
    try await TestServer.with { server async throws in
      server.route("/", .POST, reply: Reply(201))
      let photo = FileManager.default.temporaryDirectory.appending(path: "photo-\(UUID().uuidString)")
      try Data("pixels".utf8).write(to: photo)
      defer { try? FileManager.default.removeItem(at: photo) }
      #expect(try await post(photo: photo, caption: "Sea", to: server.url()) == 201)
      let text = try #require(server.requests.first?.text)
      #expect(text.contains("name=\"caption\"\r\n\r\nSea\r\n"))
      #expect(text.contains("Content-Type: image/jpeg\r\n\r\npixels\r\n"))
    }
  }

  #if HTTPTypes
    @Test func entityTagIsThatOfTheResponse() async throws {
      try await TestServer.with { server async throws in
        server.route("/", reply: Reply(headers: ["ETag": "\"1\""]))
        #expect(try await entityTag(of: server.url()) == "\"1\"")
      }
    }
  #endif
}
