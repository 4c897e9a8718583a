#if HTTP3
  import LoadingModel
  import NIOCore
  import Testing

  @testable import HTTPTransport

  /// Responses that have come whole but for what their fields refer to: entries of the QPACK table, which come on a stream of their own and are
  /// late (RFC 9204, 2.1.2).
  @Suite(.timeLimit(.minutes(10))) struct HTTP3LateFieldsTests {
    /// Names that nghttp3 makes entries of; values so long that a datagram holds a part of the entries and nothing of the response.
    private static let fields = ["server", "content-security-policy"].map { ($0, String(repeating: "abcdefghijklm", count: 100)) }

    /// Calls `body` when QUIC has closed the stream of an exchange whose fields wait for a lost datagram; it comes again some time later.
    private func withLateFields(_ body: (HTTP3Pair, HTTP3Connection, ClientExchange) throws -> Void) throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .none }
        pair.watcher = HTTP3Pair.FrameWatcher()
        let connection = try pair.connect()
        let frames = try #require(connection.frames)
        let lasting = frames.watchedDirections
        let exchange = pair.start(on: connection)
        // The request is acknowledged by now.
        pair.run(.seconds(1))
        let stream = try #require(pair.server.requests.first).stream
        pair.network.losesNext(.toClient)
        pair.server.connections[0].respond(stream, fields: Self.fields, body: 1000)
        pair.run(.milliseconds(21))
        #expect(exchange.answer.status == nil)
        #expect(frames.watchedDirections == lasting, "the stream isn't closed: something of it was in the datagram that was lost")
        try body(pair, connection, exchange)
      }
    }

    /// nghttp3 1.17 forgets a stream that is closed before its fields are there.
    @Test func responseIsTakenWhole() throws {
      try withLateFields { pair, connection, exchange in
        pair.run(.seconds(1))
        let answer = exchange.answer
        #expect(answer.status == 200)
        #expect(answer.body == QUICServer.body(1000))
        #expect(answer.isComplete)
        #expect(connection.isOpen && connection.openStreams == 0)
      }
    }

    @Test func othersAreServedMeanwhile() throws {
      try withLateFields { pair, connection, exchange in
        pair.server.reply = { _ in .body(3) }
        let other = pair.start(on: connection)
        pair.run(.seconds(1))
        #expect(other.answer.isComplete)
        #expect(exchange.answer.isComplete)
        #expect(connection.openStreams == 0)
      }
    }

    @Test func exchangeThatIsGivenUpMeanwhileLeavesNothing() throws {
      try withLateFields { pair, connection, exchange in
        exchange.exchange.interrupt(.cancelled())
        pair.run(.seconds(1))
        #expect(exchange.answer.error?.kind == .cancelled)
        #expect(connection.isOpen && connection.openStreams == 0)
        pair.server.reply = { _ in .body(3) }
        let other = pair.start(on: connection)
        pair.run(.seconds(1))
        #expect(other.answer.isComplete)
        #expect(connection.openStreams == 0)
      }
    }

    @Test func connectionThatEndsMeanwhileEndsTheExchange() throws {
      try withLateFields { pair, connection, exchange in
        pair.network.cut(true)
        connection.close()
        pair.run(.seconds(1))
        #expect(exchange.answer.error != nil)
        #expect(!connection.isOpen && connection.openStreams == 0)
      }
    }
  }
#endif
