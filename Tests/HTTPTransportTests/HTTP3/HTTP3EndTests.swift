#if HTTP3
  import LoadingModel
  import NIOCore
  import Testing

  @testable import HTTPTransport

  /// How connections end: by either side, by silence, by a server that has forgotten them.
  @Suite(.timeLimit(.minutes(10))) struct HTTP3EndTests {
    @Test func connectionThatTheServerClosesFailsWhatIsUnderWay() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        #expect(try answered(pair, connection))
        pair.server.reply = { _ in .none }
        let exchange = pair.start(on: connection)
        pair.run(.seconds(1))
        pair.server.connections[0].close(0x102)
        pair.run(.seconds(1))
        #expect(exchange.answer.error?.kind == .networkConnectionLost)
        #expect(exchange.answer.error?.resendReason == .staleConnection)
        #expect(pair.owner.closed == 1)
        #expect(!connection.isOpen)
        #expect(pair.start(on: connection).answer.error?.resendReason == .outrun)
      }
    }

    @Test func serverIsToldOfTheEnd() throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        let exchange = pair.start(on: connection)
        pair.run(.seconds(1))
        connection.close()
        pair.run(.seconds(1))
        #expect(exchange.answer.error?.kind == .networkConnectionLost)
        #expect(pair.owner.closed == 1)
        let failure = try #require(pair.server.connections[0].failure)
        #expect(failure.is_peers != 0)
        #expect(failure.code == 0x100)
      }
    }

    /// It was confirmed while the attempt was ended: it takes no other way to the server that it has taken leave of.
    @Test func connectionOfAnAttemptThatWasEndedMovesNowhere() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        #expect(pair.network.openSockets == 1)
        pair.network.closeSockets()
        pair.run(.seconds(1))
        #expect(!connection.isOpen)
        #expect(pair.network.openSockets == 0)
        #expect(try #require(pair.server.connections[0].failure).is_peers != 0)
      }
    }

    @Test func connectionWithoutExchangesEndsWhenItIsIdle() throws {
      try HTTP3Pair.run { pair in
        pair.server.settings.idle_timeout = 30_000_000_000
        let connection = try pair.connect()
        #expect(try answered(pair, connection))
        pair.run(.seconds(27))
        #expect(connection.isOpen)
        pair.run(.seconds(4))
        #expect(!connection.isOpen)
        #expect(pair.owner.closed == 1)
      }
    }

    @Test func connectionIsKeptWhileAnExchangeWaits() throws {
      try HTTP3Pair.run { pair in
        pair.server.settings.idle_timeout = 30_000_000_000
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        let exchange = pair.start(on: connection)
        pair.run(.minutes(10))
        #expect(connection.isOpen)
        pair.server.connections[0].respond(pair.server.requests[0].stream, body: 4)
        pair.run(.seconds(1))
        #expect(exchange.answer.isComplete)
        pair.run(.seconds(31))
        #expect(!connection.isOpen)
      }
    }

    /// RFC 9000, 10.3.
    @Test func statelessResetEndsTheConnection() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        #expect(try answered(pair, connection))
        pair.server.resetsUnknown = true
        pair.server.forgetConnections()
        let exchange = pair.start(on: connection)
        pair.run(.milliseconds(100))
        #expect(exchange.answer.error?.kind == .networkConnectionLost)
        #expect(exchange.answer.error?.resendReason == .staleConnection)
        #expect(!connection.isOpen)
        #expect(pair.owner.closed == 1)
      }
    }

    // MARK: messages

    /// RFC 9114, 4.1.2: also where all of it comes in one packet, its end included.
    @Test(arguments: [([700, 100], 700, LoadError.Kind.cannotParseResponse), ([300, 300], 700, .networkConnectionLost)])
    func bodyOfAnotherLengthThanItsHeadSaysIsAnError(_ frames: [Int], _ length: Int, _ kind: LoadError.Kind) throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        for _ in 0..<3 {
          let exchange = pair.start(on: connection)
          pair.run(.seconds(1))
          pair.server.connections[0].respond(try #require(pair.server.requests.last).stream, frames: frames, saying: length)
          pair.run(.seconds(1))
          #expect(exchange.answer.error?.kind == kind)
          #expect(!exchange.answer.isComplete)
        }
        #expect(connection.isOpen && connection.openStreams == 0)
      }
    }

    // MARK: before there is a connection

    /// Where there is another way, as over TCP, it isn't waited for long.
    @Test(arguments: [(true, 10), (false, 60)]) func serverThatDoesNotAnswerIsGivenUp(_ isBesideTCP: Bool, _ seconds: Int64) throws {
      try HTTP3Pair.run { pair in
        pair.network.cut(true)
        let dialled = pair.dial(isBesideTCP: isBesideTCP)
        pair.run(.seconds(seconds - 1))
        #expect(dialled.error == nil)
        pair.run(.seconds(2))
        #expect(dialled.error?.kind == .timedOut)
        #expect(dialled.connection == nil)
      }
    }

    /// It has sent something: then its handshake has as long as one over TCP.
    @Test func handshakeThatDoesNotEndIsGivenUp() throws {
      try HTTP3Pair.run { pair in
        pair.server.settings.idle_timeout = 0
        let dialled = pair.dial()
        // It asks for a proof of the address, and nothing of what it says to that arrives.
        pair.server.asksAgain = true
        pair.network.losesAllAfterFirst(.toClient)
        pair.run(.seconds(50))
        #expect(dialled.error == nil)
        #expect(dialled.connection == nil)
        pair.run(.seconds(30))
        #expect(dialled.error?.kind == .timedOut)
      }
    }

    @Test func socketThatTheSystemTakesEndsTheHandshake() throws {
      try HTTP3Pair.run { pair in
        let dialled = pair.dial()
        pair.run(.milliseconds(30))
        pair.network.closeSockets()
        pair.run(.seconds(1))
        #expect(dialled.error != nil)
        #expect(dialled.connection == nil)
      }
    }

    private func answered(_ pair: HTTP3Pair, _ connection: HTTP3Connection) throws -> Bool {
      let exchange = pair.start(on: connection)
      pair.run(.seconds(1))
      return exchange.answer.isComplete
    }
  }
#endif
