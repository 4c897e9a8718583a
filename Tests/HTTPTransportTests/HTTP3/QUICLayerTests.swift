#if HTTP3
  import CLoadingQUIC
  import NIOCore
  import Testing

  @testable import HTTPTransport

  /// What the C layer promises to who calls it, whatever the order.
  @Suite(.timeLimit(.minutes(10))) struct QUICLayerTests {
    /// nghttp3 is about to free it.
    @Test func streamThatIsToldAsClosedIsKnownNoMore() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        let exchanges = (0..<3).map { _ in pair.start("POST", on: connection, body: QUICServer.body(1000)) }
        pair.run(.seconds(2))
        #expect(exchanges.allSatisfy { $0.answer.isComplete })
        #expect(pair.server.requests.map(\.isTakenOnceClosed) == [false, false, false])
        #expect(pair.server.connections[0].failure == nil)
        #expect(connection.isOpen)
      }
    }

    /// nghttp3 ends the process otherwise.
    @Test func requestBeforeTheStreamsOfHTTP3AreThereIsNotTaken() throws {
      try HTTP3Pair.run { pair in
        let connection = try connectionThatTakesNoRequestBefore(pair)
        let exchange = pair.start(on: connection)
        pair.run(.seconds(1))
        #expect(exchange.answer.isComplete)
      }
    }

    /// HTTP/3 needs three streams of its own (RFC 9114, 6.2): where the server's limits for early data leave two, requests wait for the
    /// handshake.
    @Test func earlyDataWithoutRoomForTheStreamsOfHTTP3IsNotSent() throws {
      try HTTP3Pair.run { pair in
        let first = try pair.connect()
        let exchange = pair.start(on: first)
        pair.run(.seconds(2))
        try #require(exchange.answer.isComplete)
        let means = try #require(first.means)
        let limits = try #require(leavingTwoStreams(means.handle.transportToKeep))
        first.close()
        pair.run(.seconds(1))
        pair.memory.keep(transport: limits, for: pair.origin, at: nil)
        let connection = try connectionThatTakesNoRequestBefore(pair, sendsEarly: true)
        #expect(connection.facts.quic?.earlyData == .unused)
        let second = pair.start(on: connection)
        pair.run(.seconds(1))
        #expect(second.answer.isComplete)
      }
    }

    /// Each byte of a body that breaks the rules counts once: a server could send more than the client takes otherwise.
    @Test(arguments: [800, 700]) func bodyThatBreaksTheRulesGivesItsRoomBackOnce(_ length: Int) throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        let server = pair.server.connections[0]
        let window = server.clientRoom
        for _ in 0..<40 {
          let exchanges = (0..<20).map { _ in pair.start(on: connection) }
          pair.run(.seconds(1))
          for request in pair.server.requests.suffix(exchanges.count) {
            server.respond(request.stream, frames: [700, 100], saying: length)
          }
          pair.run(.seconds(1))
          #expect(exchanges.allSatisfy { ($0.answer.error == nil) == (length == 800) })
          #expect(server.clientRoom <= window)
        }
        // More has come than the window has room for at a time.
        #expect(server.clientRoom > window / 4)
      }
    }

    /// A connection, which was asked for a request in the middle of its handshake.
    private func connectionThatTakesNoRequestBefore(_ pair: HTTP3Pair, sendsEarly: Bool = false) throws -> HTTP3Connection {
      pair.network.losesAllAfterFirst(.toClient)
      let dialled = pair.dial(sendsEarly: sendsEarly)
      pair.run(.milliseconds(100))
      let opening = try #require(dialled.opening)
      #expect(request(by: opening) == -1)
      pair.network.change(.toClient) { $0.arriving = nil }
      pair.run(.seconds(5))
      return try #require(dialled.connection)
    }

    private func request(by connection: HTTP3Connection) -> Int64 {
      var stream: Int64 = 0
      withFields([(":method", "GET"), (":scheme", "https"), (":authority", HTTP3Pair.host), (":path", "/")]) { fields in
        if let means = connection.means { stream = uls_h3_request(means.pointer, fields, 4, 1) }
      }
      return stream
    }

    /// The limits with two in the place of the 100 streams of one direction, whichever form this version of ngtcp2 gives them; nil if they
    /// aren't there.
    private func leavingTwoStreams(_ limits: [UInt8]) -> [UInt8]? {
      for (known, few) in [([100, 0, 0, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0]), ([0x09, 2, 0x40, 100], [0x09, 2, 0x40, 2])] {
        var limits = limits
        // The last of the same number: the streams of requests come before those of one direction.
        for start in stride(from: limits.count - known.count, through: 0, by: -1)
        where limits[start...].starts(with: known.map(UInt8.init)) {
          limits.replaceSubrange(start..<start + known.count, with: few.map(UInt8.init))
          return limits
        }
      }
      return nil
    }
  }
#endif
