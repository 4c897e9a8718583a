import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct DataTaskTests {
  @Test(arguments: Wire.allCases) func asyncDataReturnsBodyAndResponse(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text("hello"))
      let session = URLSession(configuration: configuration)
      let (data, response) = try await session.data(from: server.url("/a?b=c"))
      #expect(String(decoding: data, as: UTF8.self) == "hello")
      let http = try #require(response as? HTTPURLResponse)
      #expect(http.statusCode == 200)
      #expect(http.url == server.url("/a?b=c"))
      #expect(server.requests.first?.uri == "/a?b=c")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func delegateIsToldInApplesOrder(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(headers: ["Cache-Control": "max-age=60"], body: .text("hello")))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      #expect(task.state == .suspended)
      task.resume()
      #expect(await recorder.completion(of: task) == nil)
      #expect(
        recorder.milestones == [.created, .response(status: 200), .willCache, .metrics(transactions: 1), .completed(code: nil)])
      #expect(recorder.body == Data("hello".utf8))
      #expect(task.state == .completed)
      #expect(task.countOfBytesReceived == 5)
      #expect(task.countOfBytesExpectedToReceive == 5)
      session.finishTasksAndInvalidate()
      await recorder.invalidation()
      // The message itself is the last that the session needs its delegate for.
      await withCheckedContinuation { told in session.delegateQueue.addOperation { told.resume() } }
      #expect(session.delegate == nil)
    }
  }

  @Test(arguments: Wire.allCases) func connectionIsReused(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      let session = URLSession(configuration: configuration)
      for _ in 0..<5 { _ = try await session.data(from: server.url("/bytes/100")) }
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test func connectionsPerHostAreLimited() async throws {
    try await TestServer.with { server async throws in
      server.add(.standard)
      let configuration = URLSessionConfiguration.testing()
      configuration.httpMaximumConnectionsPerHost = 3
      let session = URLSession(configuration: configuration)
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<50 { group.addTask { try await session.data(from: server.url("/bytes/10")).0.count } }
        for try await count in group { #expect(count == 10) }
      }
      #expect(server.acceptedConnections <= 3)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func completionHandlerRunsOnTheDelegateQueue(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text("x"))
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      let session = URLSession(configuration: configuration, delegate: nil, delegateQueue: queue)
      let isOnQueue = await withCheckedContinuation { continuation in
        session.dataTask(with: server.url()) { _, _, _ in continuation.resume(returning: OperationQueue.current === queue) }.resume()
      }
      #expect(isOnQueue)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func postSendsBodyWithLengthAndDefaultType(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text("ok"))
      var request = URLRequest(url: server.url("/post"))
      request.httpMethod = "POST"
      request.httpBody = Data("a=b".utf8)
      let session = URLSession(configuration: configuration)
      _ = try await session.data(for: request)
      let received = try await server.waitForRequest()
      #expect(received.method == "POST")
      #expect(received.text == "a=b")
      #expect(received.headers["Content-Length"] == "3")
      #expect(received.headers["Content-Type"] == "application/x-www-form-urlencoded")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func largeBodyIsSentWhole(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text("ok"))
      var request = URLRequest(url: server.url("/post"))
      request.httpMethod = "PUT"
      request.httpBody = Data(repeating: 7, count: 5_000_000)
      let session = URLSession(configuration: configuration)
      _ = try await session.data(for: request)
      let received = try await server.waitForRequest()
      #expect(received.bodyLength == 5_000_000)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func streamBodyIsSentInChunks(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text("ok"))
      var request = URLRequest(url: server.url("/post"))
      request.httpMethod = "POST"
      request.httpBodyStream = InputStream(data: Data(repeating: 65, count: 300_000))
      let session = URLSession(configuration: configuration)
      _ = try await session.data(for: request)
      let received = try await server.waitForRequest()
      #expect(received.bodyLength == 300_000)
      #expect(received.headers["Transfer-Encoding"] == (wire.isMultiplexed ? nil : "chunked"))
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func errorStatusIsNoError(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text("gone", status: 404))
      let (data, response) = try await URLSession(configuration: configuration).data(from: server.url())
      #expect((response as? HTTPURLResponse)?.statusCode == 404)
      #expect(String(decoding: data, as: UTF8.self) == "gone")
    }
  }

  @Test(arguments: Wire.allCases) func headRequestHasNoBodyButALength(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      var request = URLRequest(url: server.url("/bytes/1000"))
      request.httpMethod = "HEAD"
      let session = URLSession(configuration: configuration)
      let (data, response) = try await session.data(for: request)
      #expect(data.isEmpty)
      #expect(response.expectedContentLength == 1000)
      _ = try await session.data(for: request)
      #expect(server.acceptedConnections == 1)
    }
  }

  @Test(arguments: Wire.allCases) func informationalResponsesAreReported(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(body: .text("x"), informational: [Reply.Informational(103, headers: ["Link": "</a>; rel=preload"])]))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.resume()
      _ = await recorder.completion(of: task)
      #expect(recorder.milestones.contains(.informational(status: 103)))
      session.invalidateAndCancel()
    }
  }

  @Test func closeDelimitedAndChunkedBodiesArriveWhole() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(
        Reply(body: .repeating(1, count: 200_000), framing: .untilClose), Reply(body: .repeating(2, count: 200_000), framing: .chunked))
      let session = URLSession(configuration: .testing())
      let closed = try await session.data(from: server.url()).0
      #expect(closed.count == 200_000)
      let chunked = try await session.data(from: server.url()).0
      #expect(chunked == Data(repeating: 2, count: 200_000))
    }
  }

  @Test func unknownSchemeAndMissingURLAreErrors() async throws {
    let session = URLSession(configuration: .testing())
    await #expect(throws: URLError.self) { try await session.data(from: URL(string: "nope://x/")!) }
    var request = URLRequest(url: URL(string: "http://x/")!)
    request.url = nil
    await #expect(throws: URLError.self) { try await session.data(for: request) }
  }

  @Test func taskOfAnInvalidatedSessionEndsWithAnError() async throws {
    let session = URLSession(configuration: .testing())
    session.invalidateAndCancel()
    do {
      _ = try await session.data(from: URL(string: "http://127.0.0.1/")!)
      Issue.record("the load succeeded")
    } catch {
      #expect((error as? URLError)?.code == .cancelled)
      #expect(error.localizedDescription.contains("invalidated"))
    }
  }
}
