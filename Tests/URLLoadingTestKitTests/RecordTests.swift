import Foundation
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10)))
struct RecordTests {
  @Test func requestIsRecordedAsItCame() async throws {
    try await TestServer.with { server in
      server.route("/form", .POST, reply: Reply(201))
      let client = try await WireClient.connect(to: server)
      try await client.send(
        "POST /form?a=1&b=x%20y HTTP/1.1\r\nHost: test\r\nX-B: 2\r\nx-a: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "5\r\nhello\r\n0\r\nX-Sum: 7\r\n\r\n")
      let request = try await server.waitForRequest()
      #expect(request.method == "POST")
      #expect(request.uri == "/form?a=1&b=x%20y")
      #expect(request.path == "/form")
      #expect(request.argument("b") == "x y")
      #expect(request.headers.map(\.name) == ["Host", "X-B", "x-a", "Transfer-Encoding"])
      #expect(request.headers["X-A"] == "1")
      #expect(request.text == "hello")
      #expect(request.bodyLength == 5)
      #expect(request.trailers["x-sum"] == "7")
      #expect(request.connection.ordinal == 1)
      #expect(request.connection.tlsVersion == nil)
      try await client.close()
    }
  }

  @Test func connectionsAreCounted() async throws {
    try await TestServer.with { server in
      let first = try await WireClient.connect(to: server)
      let second = try await WireClient.connect(to: server)
      try await server.waitForConnections(accepted: 2)
      try await server.waitForConnections(open: 2)
      try await first.close()
      try await server.waitForConnections(open: 1)
      try await second.close()
      try await server.waitForConnections(open: 0)
      #expect(server.acceptedConnections == 2)
    }
  }

  @Test func exchangesEndWithTheirReplyOrTheirConnection() async throws {
    try await TestServer.with { server in
      let gate = Gate()
      let held = Reply.text("x").with(.delayBeforeHeaders(gate))
      server.enqueue(held, held, .text("early").with(.replyBeforeRequestBody))
      let client = try await WireClient.connect(to: server)
      try await client.get("/")
      try await gate.reached()
      #expect(server.openExchanges == 1)
      gate.release()
      try await server.waitForExchanges(open: 0)
      #expect(server.openConnections == 1)
      try await client.get("/")
      try await gate.reached(2)
      let other = try await WireClient.connect(to: server)
      try await other.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n")
      // The reply alone doesn't end it.
      try await server.waitForExchanges(open: 2)
      try await client.close()
      try await server.waitForExchanges(open: 1)
      try await other.send("abc")
      try await server.waitForExchanges(open: 0)
      #expect(server.openConnections == 1)
      try await other.close()
    }
  }

  @Test func bodyOfAnAbortedRequestIsRecordedAsFarAsItCame() async throws {
    try await TestServer.with { server in
      let client = try await WireClient.connect(to: server)
      try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
      _ = try await server.waitForRequestHead()
      try await client.close()
      try await server.waitForConnections(open: 0)
      #expect(server.requests[0].text == "abc")
      #expect(!server.requests[0].isComplete)
    }
  }

  @Test func shutdownEndsConnectionsAndWaits() async throws {
    let server = try await TestServer.start()
    server.enqueue(Reply(faults: [.delayBeforeHeaders(Gate())]))
    let client = try await WireClient.connect(to: server)
    try await client.get("/")
    _ = try await server.waitForRequest()
    let wait = Task { try await server.waitForRequest(2) }
    await server.shutdown()
    await #expect(throws: TestServer.Failure.shutDown) { _ = try await wait.value }
    #expect(try await client.waitForEnd().bytes.isEmpty)
    #expect(server.openConnections == 0)
    await server.shutdown()
  }

  @Test func cancelledWaitThrowsCancellation() async throws {
    try await TestServer.with { server in
      let wait = Task { try await server.waitForRequest() }
      wait.cancel()
      await #expect(throws: CancellationError.self) { try await wait.value }
    }
  }

  @Test func tenThousandRequestsAreServedAndRecorded() async throws {
    try await TestServer.with { server in
      server.route("/{n}", reply: .text("ok"))
      let connections = 10
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<connections {
          group.addTask {
            let client = try await WireClient.connect(to: server)
            for batch in 1...10 {
              try await client.send(String(repeating: "GET /a HTTP/1.1\r\nHost: a\r\n\r\n", count: 100))
              let replyLength = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\n\r\nok".utf8.count
              try await client.wait { $0.bytes.count >= batch * 100 * replyLength }
            }
            try await client.close()
          }
        }
        try await group.waitForAll()
      }
      #expect(server.requests.count == 10000)
      #expect(server.acceptedConnections == connections)
      try await server.waitForConnections(open: 0)
    }
  }
}
