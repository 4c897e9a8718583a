import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Data tasks that become streams.
@Suite(.timeLimit(.minutes(10))) struct BecomeStreamTests {
  private func serve(
    _ wire: Wire = .plain, raw steps: [RawStep]? = nil, disposition: URLSession.ResponseDisposition = .becomeStream,
    _ body: (TestServer, URLSession, StreamRecorder) async throws -> Void
  ) async throws {
    let adjust: (inout TestServer.Options) -> Void = { options in
      options.allowsHalfClose = true
      if let steps { options.behaviour = .raw(steps) }
    }
    try await wire.serve(adjust) { server, configuration async throws in
      configuration.httpMaximumConnectionsPerHost = 1
      let recorder = StreamRecorder(disposition: disposition)
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      try await body(server, session, recorder)
      session.invalidateAndCancel()
    }
  }

  private static let switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: lines\r\nConnection: Upgrade\r\n\r\n"

  @Test(arguments: Wire.http1) func theConnectionBehindA101IsTheStream(_ wire: Wire) async throws {
    try await serve(wire, raw: [.readRequestHead, .send(Self.switching + "greeting"), .echo]) { server, session, recorder async throws in
      var request = URLRequest(url: server.url())
      request.setValue("lines", forHTTPHeaderField: "Upgrade")
      let dataTask = session.dataTask(with: request)
      dataTask.resume()
      let task = try #require(await recorder.streamTask())
      #expect(dataTask.state == .completed)
      #expect(task.state == .running)
      #expect(task.originalRequest?.url == request.url)
      #expect((task.response as? HTTPURLResponse)?.statusCode == 101)
      // What came with the head is read first.
      #expect(try await task.text(atLeast: 8, atMost: 8) == "greeting")
      try await task.send("hello")
      #expect(try await task.text(atLeast: 5) == "hello")
      task.closeWrite()
      #expect(try await task.textToEnd() == "")
      #expect(await recorder.completed().withoutChallenges == [.becameStream, .writeClosed, .readClosed, .completed(nil)])
      let head = String(decoding: server.received(), as: UTF8.self)
      #expect(head.contains("Upgrade: lines\r\n"))
      #expect(head.contains("Connection: Upgrade\r\n"))
    }
  }

  @Test func anyResponsesConnectionCanBeTaken() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
    try await serve(raw: [.readRequestHead, .send(head + "12345678"), .echo]) { server, session, recorder async throws in
      session.dataTask(with: server.url()).resume()
      let task = try #require(await recorder.streamTask())
      // As it is on the wire, whatever the head says about its length.
      #expect(try await task.text(atLeast: 8, atMost: 8) == "12345678")
      try await task.send("hello")
      #expect(try await task.text(atLeast: 5) == "hello")
    }
  }

  @Test func theConnectionLeavesThePool() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    try await serve(raw: [.readRequestHead, .send(head), .echo]) { server, session, recorder async throws in
      session.dataTask(with: server.url()).resume()
      let first = try #require(await recorder.streamTask())
      // There may be one connection to the host; the stream's isn't counted, and no other load gets it.
      session.dataTask(with: server.url()).resume()
      let second = try #require(await recorder.streamTask())
      for (task, word) in [(first, "one"), (second, "two")] {
        try await task.send(word)
        #expect(try await task.text(atLeast: 3) == word)
      }
      #expect(server.acceptedConnections == 2)
    }
  }

  @Test(arguments: Wire.allCases) func aResponseThatIsAllowedIsReadAsEver(_ wire: Wire) async throws {
    try await serve(wire, disposition: .allow) { server, session, recorder async throws in
      server.route("/text", .GET, reply: .text("hello"))
      for _ in 0..<3 {
        session.dataTask(with: server.url("/text")).resume()
        #expect(await recorder.completed().last == .completed(nil))
      }
      #expect(server.acceptedConnections == 1)
    }
  }

  @Test(arguments: Wire.allCases) func aResponseWithoutABodyLeavesItsConnectionToThePool(_ wire: Wire) async throws {
    try await serve(wire, disposition: .allow) { server, session, recorder async throws in
      server.route("/", reply: .text("hello"))
      for method in ["HEAD", "GET", "HEAD"] {
        session.dataTask(with: URLRequest(method, server.url())).resume()
        #expect(await recorder.completed().last == .completed(nil))
      }
      #expect(server.acceptedConnections == 1)
    }
  }

  @Test func aStreamIsReadOnlyWhereTheRequestWasStillBeingSent() async throws {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
    try await serve(raw: [.readRequestHead, .send(answer), .waitForRelease("never")]) { server, session, recorder async throws in
      let request = URLRequest("POST", server.url(), body: Data(repeating: 1, count: 32 << 20))
      session.dataTask(with: request).resume()
      let task = try #require(await recorder.streamTask())
      #expect(try await task.textToEnd() == "hi")
      #expect(await recorder.completed() == [.becameStream, .writeClosed, .readClosed, .completed(nil)])
    }
  }

  @Test func aTakenConnectionCanBeCaptured() async throws {
    try await serve(raw: [.readRequestHead, .send(Self.switching + "greeting"), .echo]) { server, session, recorder async throws in
      var request = URLRequest(url: server.url())
      request.setValue("lines", forHTTPHeaderField: "Upgrade")
      session.dataTask(with: request).resume()
      let task = try #require(await recorder.streamTask())
      task.captureStreams()
      let streams = try #require(await recorder.captured())
      session.invalidateAndCancel()
      try await onThread {
        streams.input.open()
        #expect(streams.input.readAll(8) == Data("greeting".utf8))
        streams.output.open()
        streams.output.writeAll(Data("hello".utf8))
        #expect(streams.input.readAll(5) == Data("hello".utf8))
      }
      #expect(recorder.events == [.becameStream, .becameStreams])
    }
  }

  @Test func aStreamOfHTTP2CanBeCapturedForReading() async throws {
    try await serve(.h2) { server, session, recorder async throws in
      let text = String(repeating: "0123456789", count: 100_000)
      server.route("/text", .GET, reply: .text(text))
      session.dataTask(with: server.url("/text")).resume()
      let task = try #require(await recorder.streamTask())
      #expect(try await task.text(atLeast: 5, atMost: 5) == "01234")
      task.captureStreams()
      let streams = try #require(await recorder.captured())
      try await onThread {
        streams.input.open()
        streams.output.open()
        let isSame = streams.input.readAll(2_000_000) == Data(text.utf8.dropFirst(5))
        #expect(isSame)
        #expect(streams.output.streamStatus == .error)
      }
    }
  }

  @Test func aStreamOfHTTP2CanOnlyBeRead() async throws {
    try await serve(.h2) { server, session, recorder async throws in
      server.route("/text", .GET, reply: .text("hello"))
      session.dataTask(with: server.url("/text")).resume()
      let task = try #require(await recorder.streamTask())
      #expect(await errorCode { try await task.send("x") } == Int(POSIXErrorCode.ENOTCONN.rawValue))
      #expect(try await task.textToEnd() == "hello")
      #expect(await recorder.completed().withoutChallenges == [.becameStream, .writeClosed, .readClosed, .completed(nil)])
    }
  }

  /// A server that stays silent isn't waited for.
  @Test(arguments: Wire.multiplexed) func aStreamThatIsReadNoMoreEnds(_ wire: Wire) async throws {
    try await serve(wire) { server, session, recorder async throws in
      let gate = Gate()
      server.route("/text", .GET, reply: .text("hello and more").with(.stallAfter(bodyBytes: 5, gate: gate)))
      session.dataTask(with: server.url("/text")).resume()
      let task = try #require(await recorder.streamTask())
      #expect(try await task.text(atLeast: 5) == "hello")
      task.closeRead()
      #expect(await recorder.completed().last == .completed(nil))
      gate.open()
      // The connection serves on.
      #expect(try await session.text(from: server.url("/text")).0 == "hello and more")
    }
  }

  @Test func whatHasNoConnectionCanOnlyBeRead() async throws {
    try await serve { _, session, recorder async throws in
      let url = try #require(URL(string: "data:text/plain,hello"))
      session.dataTask(with: url).resume()
      let task = try #require(await recorder.streamTask())
      #expect(try await task.text(atLeast: 2, atMost: 2) == "he")
      #expect(try await task.textToEnd() == "llo")
      #expect(await recorder.completed().last == .completed(nil))
    }
  }

  @Test func aSessionThatIsInvalidatedEndsTheStream() async throws {
    try await serve(raw: [.readRequestHead, .send(Self.switching), .echo]) { server, session, recorder async throws in
      var request = URLRequest(url: server.url())
      request.setValue("lines", forHTTPHeaderField: "Upgrade")
      session.dataTask(with: request).resume()
      let task = try #require(await recorder.streamTask())
      let read = Task { await errorCode { _ = try await task.text() } }
      session.invalidateAndCancel()
      #expect(await read.value == URLError.cancelled.rawValue)
      #expect(await recorder.completed().last == .completed(URLError.cancelled.rawValue))
    }
  }

  @Test func aDelegateThatTakesNoStreamsFailsTheTask() async throws {
    final class Absent: NSObject, URLSessionDataDelegate, Sendable {
      let code = CallLog()

      func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
      ) {
        completionHandler(.becomeStream)
      }

      func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        code.add(
          (error as? URLError)?.code == .cancelled ? "cancelled" : (error as? URLError)?.code == .unsupportedURL ? "unsupported" : "?")
      }
    }
    for wire in Wire.allCases {
      try await wire.serve { server, configuration async throws in
        server.route("/text", .GET, reply: .text("hello"))
        let delegate = Absent()
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        session.dataTask(with: server.url("/text")).resume()
        // The first time that its class is used, it shows only when the message is sent.
        #expect(await delegate.code.calls(1) == [wire == .plain ? "cancelled" : "unsupported"])
        session.dataTask(with: server.url("/text")).resume()
        #expect(await delegate.code.calls(1).last == "unsupported")
        session.invalidateAndCancel()
      }
    }
  }
}

extension [StreamRecorder.Event] {
  fileprivate var withoutChallenges: Self {
    filter { if case .challenged = $0 { false } else { true } }
  }
}
