import Foundation
import Snippets
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct LoadingSnippetTests {
  @Test func completionHandlerChecksStatusAndType() async throws {
    try await withServer { server async throws in
      server.route("/text") { _ in .text("hello") }
      #expect(try await result { loadText(from: server.url("/text"), completion: $0) } == "hello")
      let refused = await #expect(throws: URLError.self) { try await result { loadText(from: server.url("/status/500"), completion: $0) } }
      #expect(refused?.code == .badServerResponse)
      let binary = await #expect(throws: URLError.self) { try await result { loadText(from: server.url("/bytes/10"), completion: $0) } }
      #expect(binary?.code == .cannotDecodeContentData)
    }
  }

  @Test func delegateCollectsTheBody() async throws {
    try await withServer { server async throws in
      let data = try await result { completion in
        let delegate = CollectingDelegate(completion: completion)
        let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        session.dataTask(with: server.url("/bytes/300000")).resume()
        session.finishTasksAndInvalidate()
      }
      #expect(data.count == 300_000)
    }
  }

  @Test func delegateThatRefusesTheResponseCancels() async throws {
    try await withServer { server async throws in
      let error = await #expect(throws: URLError.self) {
        try await result { completion in
          let delegate = CollectingDelegate(completion: completion)
          let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
          session.dataTask(with: server.url("/status/404")).resume()
          session.finishTasksAndInvalidate()
        }
      }
      #expect(error?.code == .cancelled)
    }
  }

  @Test func genericRequestDecodesOrNamesTheStatus() async throws {
    struct Answer: Decodable { var method: String }
    try await withServer { server async throws in
      let answer: Answer = try await request(Answer.self, URLRequest(url: server.url("/get")))
      #expect(answer.method == "GET")
      await #expect(throws: UnexpectedStatus(code: 503)) {
        try await request(Answer.self, URLRequest(url: server.url("/status/503")))
      }
    }
  }

  @Test func datesAreDecoded() async throws {
    try await withServer { server async throws in
      server.route("/article") { _ in .text(#"{"title": "News", "published_at": "2024-05-06T07:08:09Z"}"#) }
      let article = try await loadArticle(from: server.url("/article"))
      #expect(article == Article(title: "News", publishedAt: Date(timeIntervalSince1970: 1_714_979_289)))
    }
  }

  @Test func streamedLinesAreDecoded() async throws {
    try await withServer { server async throws in
      #expect(try await streamItems(from: server.url("/stream/40")).map(\.id) == Array(0..<40))
    }
  }

  @Test func postedJSONArrives() async throws {
    struct Echo: Decodable {
      var method: String
      var body: String
    }
    try await withServer { server async throws in
      let (data, response) = try await post(["name": "value"], to: server.url("/post"))
      #expect(response.statusCode == 200)
      let echo = try JSONDecoder().decode(Echo.self, from: data)
      #expect(echo.method == "POST")
      #expect(echo.body == #"{"name":"value"}"#)
    }
  }

  @Test func submittedFormIsEscaped() async throws {
    struct Echo: Decodable { var body: String }
    try await withServer { server async throws in
      let data = try await submitForm(["b": "x=y", "a": "one two"], to: server.url("/post"))
      #expect(try JSONDecoder().decode(Echo.self, from: data).body == "a=one%20two&b=x%3Dy")
    }
  }

  @Test func headTellsTheSizeWithoutTheBody() async throws {
    try await withServer { server async throws in
      let (length, type) = try await inspect(server.url("/bytes/123456"))
      #expect(length == 123_456)
      #expect(type == "application/octet-stream")
    }
  }

  @Test func queryItemsAreEscaped() async throws {
    try await withServer { server async throws in
      #expect(try await search("a&b ü", page: 2, at: server.url("/get")) == ["q": "a&b ü", "page": "2"])
    }
  }

  @Test func linesOfAURLAreReadDirectly() async throws {
    try await withServer { server async throws in
      #expect(try await countLines(at: server.url("/stream/12"), containing: "\"id\":1") == 3)
    }
  }

  @Test func blockingReadLoadsThroughASession() async throws {
    try await withServer { server async throws in
      #expect(try await blockingContents(of: server.url("/bytes/2000")).count == 2_000)
      let refused = await #expect(throws: CocoaError.self) { try await blockingContents(of: server.url("/status/404")) }
      #expect(refused?.code == .fileReadUnknown)
      #expect(refused?.url == server.url("/status/404"))
    }
  }

  @Test func parallelLoadsKeepTheirOrder() async throws {
    try await withServer { server async throws in
      let urls = (1...12).map { server.url("/bytes/\($0)") }
      #expect(try await loadAll(urls).map(\.count) == Array(1...12))
    }
  }
}
