#if Combine
  import Combine
  import CombineChains
  import Foundation
  import Testing
  import URLLoadingTestKit

  /// The chains of the documentation.
  @Suite(.timeLimit(.minutes(10))) struct ArticleChainTests {
    @Test func aLoadIsCheckedAndDecoded() async throws {
      try await withServer { server, session in
        server.route("/articles") { _ in .articles() }
        let recorder = session.articles(from: server.url("/articles")).record()
        try await recorder.ended()
        #expect(recorder.values == [Article.samples])
        #expect(recorder.hasFinished)
      }
    }

    @Test func retryRepeatsUntilItSucceeds() async throws {
      try await withServer { server, session in
        server.enqueue(Reply(503), Reply(503), .articles())
        let recorder = session.articles(from: server.url("/articles")).record()
        try await recorder.ended()
        #expect(recorder.values == [Article.samples])
        #expect(server.requestCount == 3)
      }
    }

    @Test func retryGivesUpAfterItsCount() async throws {
      try await withServer { server, session in
        server.route("/articles") { _ in Reply(503) }
        let recorder = session.articles(from: server.url("/articles")).record()
        try await recorder.ended()
        #expect((recorder.failure as? URLError)?.code == .badServerResponse)
        #expect(server.requestCount == 3)
        #expect(recorder.endings == 1)
      }
    }

    @Test(arguments: [0, 1, 5]) func retryLoadsOnceMoreThanItsCount(count: Int) async throws {
      try await withServer { server, session in
        server.route("/articles") { _ in Reply(404) }
        let recorder = session.dataTaskPublisher(for: server.url("/articles"))
          .tryMap { _ in throw URLError(.badServerResponse) }
          .retry(count)
          .map { _ in 1 }
          .record()
        try await recorder.ended()
        #expect(recorder.failure != nil && server.requestCount == count + 1)
      }
    }

    @Test func whatCannotBeDecodedFails() async throws {
      try await withServer { server, session in
        let recorder = session.articles(from: server.url("/bytes/10")).record()
        try await recorder.ended()
        #expect(recorder.failure is DecodingError)
      }
    }

    @Test func aMirrorIsUsedWhereTheFirstFails() async throws {
      try await withServer { server, session in
        server.route("/mirror") { _ in .articles() }
        let recorder = session.articles(from: server.url("/status/500"), orFrom: server.url("/mirror")).record()
        try await recorder.ended()
        #expect(recorder.values == [Article.samples])
      }
    }

    @Test func listedTextsAreLoadedFourAtATime() async throws {
      try await withServer { server, session in
        let gate = Gate()
        server.route("/list") { _ in .text((1...9).map { "/held/\($0)" }.joined(separator: "\n")) }
        server.route("/held/*", reply: Reply.text("text").with(.delayBeforeHeaders(gate)))
        let recorder = session.texts(listedAt: server.url("/list")).record()
        try await gate.reached(4)
        #expect(await session.allTasks.count == 4)
        gate.open()
        try await recorder.ended()
        #expect(recorder.values == Array(repeating: "text", count: 9))
        #expect(recorder.hasFinished)
      }
    }

    @Test func anEncodedArticleIsPosted() async throws {
      try await withServer { server, session in
        let recorder = session.post(Article.samples[0], to: server.url("/post")).record()
        try await recorder.ended()
        let received = try await server.waitForRequest()
        #expect(try JSONDecoder().decode(Article.self, from: received.body) == Article.samples[0])
        #expect(received.headers["Content-Type"] == "application/json")
        #expect(recorder.values.count == 1)
      }
    }

    @Test func aDashboardIsLoadedAtOnce() async throws {
      try await withServer { server, session in
        for path in ["/news", "/sport"] { server.route(path) { _ in .articles() } }
        server.route("/weather") { _ in .text("fine") }
        let recorder = session.dashboard(at: server.url("/")).record()
        try await recorder.ended()
        #expect(recorder.values == [Dashboard(news: Article.samples, sport: Article.samples, weather: "fine")])
        #expect(recorder.hasFinished)
      }
    }

    @Test func aDashboardFailsWithItsFirstPartAndCancelsTheOthers() async throws {
      try await withServer { server, session in
        let gate = Gate()
        for path in ["/news", "/weather"] { server.route(path, reply: Reply.text("[]").with(.delayBeforeHeaders(gate))) }
        server.route("/sport") { _ in .text("no JSON") }
        let recorder = session.dashboard(at: server.url("/")).record()
        try await recorder.ended()
        #expect(recorder.failure is DecodingError && recorder.endings == 1)
        try await server.waitForExchanges(open: 0)
      }
    }

    @Test func feedsAreMergedAndBrokenOnesLeftOut() async throws {
      try await withServer { server, session in
        server.route("/one") { _ in .articles([Article.samples[0]]) }
        server.route("/two") { _ in .articles([Article.samples[1]]) }
        let feeds = ["/one", "/status/500", "/two"].map { server.url($0) }
        let recorder = session.articles(fromAll: feeds).record()
        try await recorder.ended()
        #expect(recorder.values.flatMap { $0 }.sorted { $0.id < $1.id } == Article.samples)
        #expect(recorder.hasFinished)
      }
    }
  }
#endif
