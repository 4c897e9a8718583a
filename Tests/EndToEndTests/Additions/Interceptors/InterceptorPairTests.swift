import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Interceptors together with what else loads have: redirects, challenges, the cache, repetitions, cancellation, timeouts, other tasks.
@Suite(.timeLimit(.minutes(10))) struct InterceptorPairTests {
  private static func login(_ log: Around.Log) -> Around {
    Around { request, next in
      var request = request
      request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
      let response = try await next(request)
      log.add("\(response.statusCode ?? 0) \(response.response.url?.path ?? "")")
      return response
    }
  }

  @Test(arguments: Wire.allCases) func redirectsAreInsideAndKeepALoginWithItsOrigin(_ wire: Wire) async throws {
    let log = Around.Log()
    try await wire.serve { other, _ async throws in
      other.route("/there", reply: .text("there"))
      try await wire.serve([Self.login(log)]) { server, session async throws in
        server.route("/here", reply: .redirect(to: "/next"))
        server.route("/next", reply: .redirect(to: other.url("/there").absoluteString))
        let recorder = DelegateRecorder()
        let task = session.dataTask(with: server.url("/here"))
        task.delegate = recorder
        task.resume()
        #expect(await recorder.completion(of: task) == nil)
        #expect(log.all == ["200 /there"])
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer secret", "Bearer secret"])
        #expect(other.requests.map { $0.headers["Authorization"] } == [nil])
        #expect(recorder.metrics?.redirectCount == 2)
      }
    }
  }

  @Test(arguments: Wire.allCases) func requestSentAgainAfterARedirectBeginsAtItsOrigin(_ wire: Wire) async throws {
    let twice = Around { request, next in
      _ = try await next(request)
      return try await next(request)
    }
    try await wire.serve { other, _ async throws in
      other.route("/", reply: .text("there"))
      // Fields of the configuration belong to the first origin alone, the second time too.
      try await wire.serve([twice], [], { $0.httpAdditionalHeaders = ["Authorization": "Bearer own"] }) { server, session async throws in
        server.route("/", reply: .redirect(to: other.url().absoluteString))
        #expect(try await session.text(from: server.url()).0 == "there")
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer own", "Bearer own"])
        #expect(other.requests.map { $0.headers["Authorization"] } == [nil, nil])
      }
    }
  }

  @Test(arguments: Wire.allCases) func challengesAreInside(_ wire: Wire) async throws {
    let log = Around.Log()
    let watching = Around { request, next in
      let response = try await next(request)
      log.add("\(response.statusCode ?? 0)")
      return response
    }
    try await wire.serve([watching], []) { server, session async throws in
      server.route("/") { request in
        request.headers["Authorization"] == nil
          ? Reply(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""]) : .text("in")
      }
      var components = try #require(URLComponents(url: server.url(), resolvingAgainstBaseURL: false))
      (components.user, components.password) = ("u", "p")
      #expect(try await session.text(from: #require(components.url)).0 == "in")
      #expect(log.all == ["200"])
    }
  }

  @Test(arguments: Wire.allCases) func cachedResponsesAreSeenAsWell(_ wire: Wire) async throws {
    let log = Around.Log()
    let cached = Reply(headers: ["Cache-Control": "max-age=1000", "Content-Type": "text/plain"], body: .text("kept"))
    try await wire.serve(
      [Around.word("a", log)], [cached], { $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, directory: nil) }
    ) { server, session async throws in
      for _ in 0..<2 { #expect(try await session.text(from: server.url()).0 == "kept") }
      #expect(server.requestCount == 1 && log.all.count == 4)
    }
  }

  @Test(arguments: Wire.allCases) func repetitionsByAPolicyAreInside(_ wire: Wire) async throws {
    let log = Around.Log()
    try await wire.serve([Around.word("a", log)], [Reply(503), .text("ok")], { $0.retryPolicy = .init(firstDelay: 0) }) {
      server, session async throws in
      #expect(try await session.text(from: server.url()).0 == "ok")
      #expect(log.all == ["a down", "a 200"] && server.requestCount == 2)
    }
  }

  @Test(arguments: Wire.allCases) func cancellationEndsTheLoadAtOnceAndCancelsTheCode(_ wire: Wire) async throws {
    let (begun, ended, over) = (Signal(), Signal(), Signal())
    let deaf = Around { request, next in
      begun.send()
      // Takes no notice of its cancellation before the load has ended.
      await ended.wait()
      #expect(Task.isCancelled)
      await #expect(throws: URLError.self) { _ = try await next(request) }
      over.send()
      throw CancellationError()
    }
    try await wire.serve([deaf]) { server, session async throws in
      let load = Task { try await session.data(from: server.url()) }
      await begun.wait()
      load.cancel()
      let error = await #expect(throws: URLError.self) { try await load.value }
      #expect(error?.code == .cancelled)
      ended.send()
      await over.wait()
      #expect(server.requestCount == 0)
    }
  }

  @Test(arguments: Wire.allCases) func cancellationBetweenTwoRequestsLeavesNothing(_ wire: Wire) async throws {
    let (begun, never) = (Signal(), Signal())
    let waiting = Around { request, next in
      let response = try await next(request)
      begun.send()
      await never.wait()
      return response
    }
    try await wire.serve([waiting], [Reply(body: .pattern(count: 3_000_000))]) { server, session async throws in
      let load = Task { try await session.data(from: server.url()) }
      await begun.wait()
      load.cancel()
      let error = await #expect(throws: URLError.self) { try await load.value }
      #expect(error?.code == .cancelled)
      try await server.waitUntilGivenUp(over: wire)
      never.send()
    }
  }

  @Test func hangingCodeEndsByTheResourcesTimeout() async throws {
    let (begun, never, clock) = (Signal(), Signal(), ManualClock())
    let hanging = Around { request, next in
      begun.send()
      await never.wait()
      return try await next(request)
    }
    try await Wire.plain.serve(
      [hanging], [],
      { configuration in
        configuration.use(clock)
        configuration.timeoutIntervalForRequest = 1
        configuration.timeoutIntervalForResource = 100
      }
    ) { server, session async throws in
      async let failure = session.failure(of: server.url())
      await begun.wait()
      // That of the request stands still.
      clock.advance(by: 50)
      clock.advance(by: 51)
      #expect(await failure?.code == .timedOut)
      never.send()
    }
  }

  @Test(arguments: Wire.allCases) func suspendedTaskSendsNothing(_ wire: Wire) async throws {
    let (begun, go) = (Signal(), Signal())
    let waiting = Around { request, next in
      begun.send()
      await go.wait()
      return try await next(request)
    }
    try await wire.serve([waiting], [.text("ok")]) { server, session async throws in
      let log = CompletionLog()
      let task = session.dataTask(with: server.url(), completionHandler: log.handler)
      task.resume()
      await begun.wait()
      task.suspend()
      go.send()
      await session.barrier()
      #expect(server.requestCount == 0)
      task.resume()
      #expect(await log.call().data == Data("ok".utf8))
    }
  }

  @Test(arguments: Wire.allCases) func responseInItsHandsOutlivesTheRequestTimeout(_ wire: Wire) async throws {
    let (clock, begun, go) = (ManualClock(), Signal(), Signal())
    let slow = Around { request, next in
      let response = try await next(request)
      begun.send()
      await go.wait()
      return response
    }
    try await wire.serve([slow], [.text("ok")], { $0.use(clock) }) { server, session async throws in
      async let text = session.text(from: server.url()).0
      await begun.wait()
      clock.advance(by: 61)
      go.send()
      #expect(try await text == "ok")
    }
  }

  @Test func webSocketsAreIntercepted() async throws {
    let log = Around.Log()
    let again = Around { request, next in
      let response = try await next(request)
      guard response.statusCode == 401 else { return response }
      var request = request
      request.setValue("Bearer x", forHTTPHeaderField: "Authorization")
      return try await next(request)
    }
    try await Wire.plain.serve([again, Around.word("a", log)]) { server, session async throws in
      let service = WebSocketService(.echo)
      server.route("/chat", .GET) { $0.headers["Authorization"] == nil ? Reply(401) : .webSocket(service) }
      var components = try #require(URLComponents(url: server.url("/chat"), resolvingAgainstBaseURL: false))
      components.scheme = "ws"
      let task = session.webSocketTask(with: try #require(components.url))
      task.resume()
      try await task.send(.string("hello"))
      let answer = try await task.receive()
      #expect(answer.text == "hello" && log.all == ["a down", "a 401", "a down", "a 101"])
      task.cancel(with: .normalClosure, reason: nil)
    }
  }

  @Test func webSocketCannotBeAnsweredByAResponse() async throws {
    let answering = Around { request, _ in
      let head = try #require(request.url.flatMap { HTTPURLResponse(url: $0, statusCode: 101, httpVersion: nil, headerFields: nil) })
      return URLSessionInterceptedResponse(head)
    }
    try await Wire.plain.serve([answering]) { server, session async throws in
      let task = session.webSocketTask(with: try #require(URL(string: "ws://127.0.0.1:\(server.port)/")))
      task.resume()
      let error = await #expect(throws: URLError.self) { _ = try await task.receive() }
      #expect(error?.code == .badServerResponse)
    }
  }

  @Test(arguments: Wire.allCases) func typeOfAnAnswerIsFoundInItsBody(_ wire: Wire) async throws {
    let log = Around.Log()
    try await wire.serve([Around.word("a", log)], [Reply(body: .text("<!DOCTYPE html><html>"))]) { server, session async throws in
      #expect(try await session.data(from: server.url()).1.mimeType == "text/html")
    }
  }

  @Test(arguments: Wire.allCases) func downloadsAreIntercepted(_ wire: Wire) async throws {
    let log = Around.Log()
    try await wire.serve([Around.word("a", log)], [Reply(body: .pattern(count: 500_000))]) { server, session async throws in
      let (file, _) = try await session.download(from: server.url())
      #expect(try Data(contentsOf: file).count == 500_000 && log.all == ["a down", "a 200"])
    }
  }
}
