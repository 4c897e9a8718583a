import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct RequestBodyTests {
  private static let sizes = [0, 1, 65_535, 65_536, 65_537, 5_000_000]

  private static func letters(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }) }

  @Test(arguments: sizes, Wire.allCases) func dataOfAnySizeIsSentWhole(_ size: Int, _ wire: Wire) async throws {
    try await wire.serve({ $0.recordedBodyLimit = 8 << 20 }) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("ok"), .text("ok"))
      let body = RequestBodyTests.letters(size)
      for _ in 0..<2 { _ = try await session.data(for: URLRequest("POST", server.url(), body: body)) }
      for request in server.requests {
        #expect(request.headers["Content-Length"] == "\(size)")
        #expect(request.body == body)
      }
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: sizes, Wire.allCases) func streamOfAnySizeIsSentWhole(_ size: Int, _ wire: Wire) async throws {
    try await wire.serve({ $0.recordedBodyLimit = 8 << 20 }) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let body = RequestBodyTests.letters(size)
      server.route("/", reply: .text("ok"))
      let hasLength = [false, false, true, true]
      for hasLength in hasLength {
        var request = URLRequest("POST", server.url())
        request.httpBodyStream = InputStream(data: body)
        if hasLength { request.setValue("\(size)", forHTTPHeaderField: "Content-Length") }
        _ = try await session.data(for: request)
      }
      #expect(server.requestCount == 4)
      for (request, hasLength) in zip(server.requests, hasLength) {
        #expect(request.headers["Content-Length"] == (hasLength ? "\(size)" : nil))
        #expect(request.headers["Transfer-Encoding"] == (hasLength || wire.isMultiplexed ? nil : "chunked"))
        // Of a stream without a length nothing says that it is empty.
        #expect(request.headers["Content-Type"] == (hasLength && size == 0 ? nil : "application/x-www-form-urlencoded"))
        #expect(request.body == body)
      }
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [99, 101], Wire.allCases) func streamOfAnotherLengthThanAnnouncedIsAnError(_ size: Int, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("ok"))
      var request = URLRequest("POST", server.url())
      request.httpBodyStream = InputStream(data: RequestBodyTests.letters(size))
      request.setValue("100", forHTTPHeaderField: "Content-Length")
      #expect(await session.failure(of: request)?.code == .requestBodyStreamExhausted)
      try await server.waitUntilGivenUp(over: wire)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func streamThatFailsIsAnError(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(.text("ok"))
      var request = URLRequest("POST", server.url())
      request.httpBodyStream = InputStream(fileAtPath: "/nonexistent/file")
      #expect(await session.failure(of: request)?.code == .requestBodyStreamExhausted)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func earlyAnswerEndsTheUpload(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let early = Reply(413, body: .text("too large"), faults: [.replyBeforeRequestBody])
      server.route("/upload", reply: early)
      server.route("/", reply: .text("next"))
      let (text, response) = try await session.text(
        for: URLRequest("POST", server.url("/upload"), body: Data(count: 50_000_000)))
      #expect(response.statusCode == 413)
      #expect(text == "too large")
      #expect(try await session.text(from: server.url()).0 == "next")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func uploadWaitsForAServerThatDoesNotRead(_ wire: Wire) async throws {
    try await wire.serve({ $0.receiveBufferSize = 65_536 }) { server, configuration async throws in
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let gate = Gate()
      server.route("/slow", reply: .text("done").with(.slowReader(gate)))
      let size = 32 << 20
      let task = session.dataTask(with: URLRequest("PUT", server.url("/slow"), body: Data(count: size)))
      task.resume()
      try await gate.reached()
      try await settle(server)
      #expect(task.countOfBytesSent < 16 << 20)
      #expect(task.countOfBytesExpectedToSend == Int64(size))
      gate.open()
      #expect(await recorder.completion(of: task) == nil)
      #expect(server.requests[0].bodyLength == size)
      #expect(task.countOfBytesSent == Int64(size))
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [10, 65_536, 3_000_000], Wire.allCases) func progressOfSendingOnlyGrows(_ size: Int, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      server.enqueue(.text("done"))
      let task = session.dataTask(with: URLRequest("PUT", server.url(), body: Data(count: size)))
      task.resume()
      #expect(await recorder.completion(of: task) == nil)
      let totals = recorder.events.compactMap { if case .sent(let total) = $0 { total } else { nil } }
      #expect(totals == totals.sorted())
      #expect(Set(totals).count == totals.count)
      #expect(totals.last == Int64(size))
      #expect(task.countOfBytesSent == Int64(size))
      session.invalidateAndCancel()
    }
  }
}
