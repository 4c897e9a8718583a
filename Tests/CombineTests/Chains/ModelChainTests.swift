#if Combine
  import Combine
  import CombineChains
  import Foundation
  import Testing
  import URLLoadingTestKit

  /// The documentation's chains that end in an app's objects.
  @Suite(.timeLimit(.minutes(10))) struct ModelChainTests {
    private let queue = DispatchQueue(label: "model")

    @Test func aListShowsWhatIsLoaded() async throws {
      try await withServer { server, session in
        server.route("/articles") { _ in .articles() }
        let list = ArticleList(session: session, queue: queue)
        let changes = list.objectWillChange.map { 1 }.record()
        let shown = list.$articles.record()
        list.load(server.url("/articles"))
        try await shown.received(2)
        #expect(shown.values == [[], Article.samples])
        #expect(changes.values == [1])
      }
    }

    @Test func aListShowsWhyNothingIsLoaded() async throws {
      try await withServer { server, session in
        let list = ArticleList(session: session, queue: queue)
        let messages = list.$message.compactMap { $0 }.record()
        list.load(server.url("/status/404"))
        try await messages.received(1)
        #expect(list.articles.isEmpty)
      }
    }

    @Test func aListIsClearedWhereALoadFails() async throws {
      try await withServer { server, session in
        server.route("/articles") { _ in .articles() }
        let list = ArticleList(session: session, queue: queue)
        let shown = list.$articles.record()
        list.loadOrClear(server.url("/articles"))
        try await shown.received(2)
        list.loadOrClear(server.url("/status/404"))
        try await shown.received(3)
        #expect(shown.values == [[], Article.samples, []])
      }
    }

    @Test func releasingAListCancelsItsLoads() async throws {
      try await withServer { server, session in
        let gate = Gate()
        server.route("/held", reply: Reply.articles().with(.delayBeforeHeaders(gate)))
        do {
          let list = ArticleList(session: session, queue: queue)
          list.load(server.url("/held"))
          try await gate.reached(1)
          list.loadOrClear(server.url("/held"))
          try await gate.reached(2)
        }
        try await server.waitForExchanges(open: 0)
      }
    }

    @Test func aSearchFollowsWhatIsTypedAndCancelsOlderLoads() async throws {
      try await withServer { server, session in
        let gate = Gate()
        server.route("/search") { request in
          let text = request.query.first?.value ?? ""
          let reply = Reply.articles([Article(id: text.count, title: text)])
          return text == "sw" ? reply.with(.delayBeforeHeaders(gate)) : reply
        }
        let scheduler = ManualScheduler()
        let search = ArticleSearch(at: server.url("/search"), in: session, pause: 0.3, scheduler: scheduler)
        let results = search.$results.record()
        search.text = "s"
        scheduler.advance(by: 0.1)
        search.text = "sw"
        scheduler.advance(by: 0.3)
        try await gate.reached()
        search.text = "swift"
        scheduler.advance(by: 0.3)
        try await results.received(2)
        #expect(results.values == [[], [Article(id: 5, title: "swift")]])
        #expect(server.requests.count == 2)
      }
    }

    @Test func assignSetsAProperty() async throws {
      final class Label { var text = "" }
      try await withServer { server, session in
        server.route("/text") { _ in .text("loaded") }
        let label = Label()
        nonisolated(unsafe) let shown = label
        let (done, continuation) = AsyncStream.makeStream(of: Void.self)
        let handle = session.dataTaskPublisher(for: server.url("/text"))
          .map { String(decoding: $0.data, as: UTF8.self) }
          .replaceError(with: "failed")
          .receive(on: queue)
          .handleEvents(receiveCompletion: { _ in continuation.yield() })
          .assign(to: \.text, on: shown)
        for await _ in done { break }
        queue.sync {}
        #expect(shown.text == "loaded")
        handle.cancel()
      }
    }

    @Test func aSharedLoadIsMadeOnce() async throws {
      try await withServer { server, session in
        let gate = Gate()
        server.route("/held", reply: Reply.text("held").with(.delayBeforeHeaders(gate)))
        let shared = session.dataTaskPublisher(for: server.url("/held")).map { String(decoding: $0.data, as: UTF8.self) }.share()
        let recorders = (0..<3).map { _ in shared.record() }
        try await gate.reached()
        gate.open()
        for recorder in recorders {
          try await recorder.ended()
          #expect(recorder.values == ["held"])
        }
        #expect(server.requestCount == 1)
      }
    }

    @Test func aSharedLoadGoesOnUntilTheLastSubscriberHasCancelled() async throws {
      try await withServer { server, session in
        let gate = Gate()
        server.route("/held", reply: Reply.text("held").with(.delayBeforeHeaders(gate)))
        let shared = session.dataTaskPublisher(for: server.url("/held")).map(\.data.count).share()
        let recorders = (0..<2).map { _ in shared.record() }
        try await gate.reached()
        recorders[0].cancel()
        #expect(await session.allTasks.count == 1)
        recorders[1].cancel()
        try await server.waitForExchanges(open: 0)
        #expect(recorders.allSatisfy { $0.values.isEmpty && $0.endings == 0 })
      }
    }

    /// Swift 6.2 takes no `nonisolated(unsafe)` here.
    private struct Ending: @unchecked Sendable {
      // @unchecked: the future's promise is called once, by one task.
      let promise: Future<Int, any Error>.Promise
    }

    @Test func aFutureWrapsAnAsyncLoad() async throws {
      try await withServer { server, session in
        let url = server.url("/bytes/12")
        let recorder = Future<Int, any Error> { promise in
          let ending = Ending(promise: promise)
          Task {
            do { ending.promise(.success(try await session.data(from: url).0.count)) } catch { ending.promise(.failure(error)) }
          }
        }.record()
        try await recorder.ended()
        #expect(recorder.values == [12])
      }
    }

    @Test func aLoadIsAnAsyncSequence() async throws {
      try await withServer { server, session in
        var lengths: [Int] = []
        for try await (data, _) in session.dataTaskPublisher(for: server.url("/bytes/7")).values { lengths.append(data.count) }
        #expect(lengths == [7])
      }
    }
  }
#endif
