import Foundation
import LoadingModel
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What interceptors do with requests and responses.
@Suite(.timeLimit(.minutes(10))) struct InterceptorTests {
  private struct Refused: Error, Equatable {}

  @Test(arguments: Wire.allCases) func interceptorsAreAroundTheLoadInOrder(_ wire: Wire) async throws {
    let log = Around.Log()
    try await wire.serve([Around.word("a", log), Around.word("b", log)], [.text("ok")]) { server, session async throws in
      #expect(try await session.text(from: server.url()).0 == "ok")
      #expect(server.requests.first?.headers["X-Way"] == "a,b")
      #expect(log.all == ["a down", "b down", "b 200", "a 200"])
    }
  }

  @Test(arguments: Wire.allCases) func headIsSeenBeforeTheBodyHasCome(_ wire: Wire) async throws {
    let (gate, seen) = (Gate(), Signal())
    let watching = Around { request, next in
      let response = try await next(request)
      seen.send()
      return response
    }
    try await wire.serve([watching], [Reply(body: .text("late"), faults: [.delayBeforeBody(gate)])]) { server, session async throws in
      async let text = session.text(from: server.url()).0
      await seen.wait()
      gate.open()
      #expect(try await text == "late")
    }
  }

  @Test(arguments: Wire.allCases) func answerOfItsOwnNeedsNoServer(_ wire: Wire) async throws {
    let answering = Around { request, _ in
      let url = try #require(request.url)
      let head = try #require(HTTPURLResponse(url: url, statusCode: 299, httpVersion: nil, headerFields: ["X-Made": "1"]))
      return URLSessionInterceptedResponse(head, Data(repeating: 7, count: 300_000))
    }
    try await wire.serve([answering]) { server, session async throws in
      let (data, response) = try await session.data(from: server.url())
      #expect(data == Data(repeating: 7, count: 300_000))
      #expect((response as? HTTPURLResponse)?.statusCode == 299)
      #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Made") == "1")
      let (file, _) = try await session.download(from: server.url())
      #expect(try Data(contentsOf: file).count == 300_000)
      #expect(server.requestCount == 0)
    }
  }

  /// It doesn't wait for the body of a server's that it takes the place of.
  @Test(arguments: Wire.allCases) func answerOfItsOwnTakesThePlaceOfOneThatStalls(_ wire: Wire) async throws {
    let answering = Around { request, next in
      _ = try await next(request)
      let url = try #require(request.url)
      let head = try #require(HTTPURLResponse(url: url, statusCode: 299, httpVersion: nil, headerFields: nil))
      return URLSessionInterceptedResponse(head, Data("own".utf8))
    }
    let gate = Gate()
    try await wire.serve([answering], [Reply(body: .pattern(count: 100), faults: [.stallAfter(bodyBytes: 1, gate: gate)])]) {
      server, session async throws in
      #expect(try await session.text(from: server.url()).0 == "own")
      gate.open()
    }
  }

  @Test(arguments: Wire.allCases) func requestIsSentAgainAndEachAttemptHasATransaction(_ wire: Wire) async throws {
    let again = Around { request, next in
      let response = try await next(request)
      guard response.statusCode == 409 else { return response }
      var request = request
      request.setValue("2", forHTTPHeaderField: "X-Attempt")
      return try await next(request)
    }
    try await wire.serve([again], [.text("no", status: 409), .text("yes")]) { server, session async throws in
      let recorder = DelegateRecorder()
      let task = session.dataTask(with: server.url())
      task.delegate = recorder
      task.resume()
      #expect(await recorder.completion(of: task) == nil)
      #expect(recorder.body == Data("yes".utf8))
      #expect(server.requests.map { $0.headers["X-Attempt"] } == [nil, "2"])
      // The body between was read: the connection is the same.
      #expect(Set(server.requests.map(\.connection.ordinal)).count == 1)
      let transactions = try #require(recorder.metrics).transactionMetrics
      #expect(transactions.map { ($0.response as? HTTPURLResponse)?.statusCode } == [409, 200])
      #expect(transactions.map { $0.request.value(forHTTPHeaderField: "X-Attempt") } == [nil, "2"])
      #expect(task.currentRequest?.value(forHTTPHeaderField: "X-Attempt") == "2")
      #expect(task.originalRequest?.value(forHTTPHeaderField: "X-Attempt") == nil)
    }
  }

  @Test(arguments: Wire.allCases) func answerInPlaceOfAResponseOrAnError(_ wire: Wire) async throws {
    let fallback = Around { request, next in
      let head = try #require(request.url.flatMap { HTTPURLResponse(url: $0, statusCode: 200, httpVersion: nil, headerFields: nil) })
      let own = URLSessionInterceptedResponse(head, Data("own".utf8))
      do {
        return try await next(request).statusCode == 500 ? own : try await next(request)
      } catch is URLError {
        return own
      }
    }
    try await wire.serve([fallback], [.text("fault", status: 500)]) { server, session async throws in
      #expect(try await session.text(from: server.url()).0 == "own")
      var unreachable = try #require(URLComponents(url: server.url(), resolvingAgainstBaseURL: false))
      unreachable.host = "name.invalid"
      #expect(try await session.text(from: #require(unreachable.url)).0 == "own")
    }
  }

  @Test(arguments: Wire.allCases) func errorsReachTheTaskAsTheyAre(_ wire: Wire) async throws {
    let refusing = Around { request, next in
      if request.url?.path == "/refused" { throw Refused() }
      if request.url?.path == "/own" { throw URLError(.dataNotAllowed) }
      return try await next(request)
    }
    try await wire.serve([refusing], [Reply(faults: [.disconnectBeforeHeaders])]) { server, session async throws in
      await #expect(throws: Refused()) { _ = try await session.data(from: server.url("/refused")) }
      #expect(await session.failure(of: server.url("/own"))?.code == .dataNotAllowed)
      #expect(server.requestCount == 0)
      var request = URLRequest("POST", server.url())
      request.httpBody = Data("x".utf8)
      let error = try #require(await session.failure(of: request))
      #expect(error.code == .networkConnectionLost && error.failingURL == server.url())
      let log = CompletionLog()
      session.dataTask(with: server.url("/refused"), completionHandler: log.handler).resume()
      #expect(await log.call().error is Refused)
    }
  }

  @Test(arguments: Wire.allCases) func responseWhoseBodyIsGoneIsRefused(_ wire: Wire) async throws {
    let stale = Around { request, next in
      let first = try await next(request)
      _ = try await next(request)
      return first
    }
    try await wire.serve([stale], [.text("1"), .text("2")]) { server, session async throws in
      #expect(await session.failure(of: server.url())?.code == .badServerResponse)
    }
  }

  @Test(arguments: Wire.allCases) func secondRequestBesideTheFirstIsRefused(_ wire: Wire) async throws {
    let both = Around { request, next in
      try await withThrowingTaskGroup(of: URLSessionInterceptedResponse.self) { group in
        for _ in 0..<2 { group.addTask { try await next(request) } }
        var last: URLSessionInterceptedResponse?
        while let result = await group.nextResult() { if case .success(let response) = result { last = response } }
        return try #require(last)
      }
    }
    try await wire.serve([both]) { server, session async throws in
      server.route("/", reply: .text("ok"))
      #expect(try await session.text(from: server.url()).0 == "ok")
    }
  }

  @Test(arguments: Wire.allCases) func bodiesAreSentAgainWhereTheyCanBe(_ wire: Wire) async throws {
    let twice = Around { request, next in
      _ = try await next(request)
      return try await next(request)
    }
    let log = Around.Log()
    let reading = Around { request, next in
      if let stream = request.httpBodyStream {
        stream.open()
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = stream.read(&bytes, maxLength: 100)
        log.add(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
        stream.close()
      }
      return try await next(request)
    }
    try await wire.serve([twice, reading], []) { server, session async throws in
      server.route("/", reply: .text("ok"))
      let request = URLRequest("POST", server.url())
      _ = try await session.upload(for: request, from: Data("data".utf8))
      let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try Data("file".utf8).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      _ = try await session.upload(for: request, fromFile: file)
      #expect(server.requests.map(\.text) == ["data", "data", "file", "file"])
      #expect(log.all == ["file", "file"])
      let sequence = AsyncStream<Data> { stream in
        stream.yield(Data("once".utf8))
        stream.finish()
      }
      let error = await #expect(throws: URLError.self) { _ = try await session.upload(for: request, from: sequence) }
      #expect(error?.code == .requestBodyStreamExhausted)
    }
  }
}
