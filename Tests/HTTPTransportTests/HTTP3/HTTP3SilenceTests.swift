#if HTTP3
  import LoadingModel
  import NIOCore
  import Testing

  @testable import HTTPTransport

  /// Servers that are gone without a word, as one is that was killed: what is sent is never acknowledged.
  @Suite(.timeLimit(.minutes(10))) struct HTTP3SilenceTests {
    /// - Parameter isNoisy: Whether the host answers with resets that are of no connection, as a server does that has begun anew.
    @Test(arguments: [false, true]) func requestThatOnlyReadsGoesElsewhere(_ isNoisy: Bool) throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        #expect(try answered(pair, connection))
        pair.run(.seconds(20))
        pair.server.forgetConnections()
        (pair.server.resetsUnknown, pair.server.resetSecret) = (isNoisy, Array(repeating: 9, count: 32))
        let exchange = pair.start(on: connection)
        pair.run(.milliseconds(9900))
        #expect(connection.isOpen && exchange.answer.error == nil)
        pair.run(.milliseconds(200))
        #expect(!connection.isOpen)
        #expect(exchange.answer.error?.kind == .networkConnectionLost)
        #expect(exchange.answer.error?.resendReason == .staleConnection)
        #expect(pair.owner.goneAway == 1)
        pair.run(.seconds(1))
        #expect(pair.owner.closed == 1)
      }
    }

    /// It was acknowledged: that the server has gone since shows by a PING.
    @Test func requestThatWaitsForItsAnswerGoesElsewhere() throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        let exchange = pair.start(on: connection)
        pair.run(.seconds(1))
        pair.server.forgetConnections()
        pair.run(.seconds(23))
        #expect(connection.isOpen && exchange.answer.error == nil)
        pair.run(.seconds(2))
        #expect(exchange.answer.error?.resendReason == .staleConnection)
        pair.run(.seconds(1))
        #expect(pair.owner.closed == 1)
      }
    }

    enum Exchange {
      /// The server may have acted on it.
      case change
      /// Part of the answer has come.
      case rest
    }

    private func begin(_ kind: Exchange, _ pair: HTTP3Pair, _ connection: HTTP3Connection) throws -> ClientExchange {
      pair.server.reply = { _ in .none }
      guard case .rest = kind else {
        pair.network.cut(true)
        return pair.start("POST", on: connection, body: [1, 2, 3])
      }
      let exchange = pair.start(on: connection)
      pair.run(.seconds(1))
      pair.server.connections[0].respond(try #require(pair.server.requests.last).stream, body: 5, ends: false)
      pair.run(.seconds(1))
      #expect(exchange.answer.body.count == 5)
      pair.network.cut(true)
      return exchange
    }

    /// - Parameter pings: Seconds after which there is something to acknowledge.
    @Test(arguments: [(Exchange.change, Int64(0)), (.rest, 15)]) func whatCannotBeRepeatedWaitsOn(_ kind: Exchange, _ pings: Int64) throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        let exchange = try begin(kind, pair, connection)
        pair.run(.seconds(pings + 8))
        #expect(connection.isOpen)
        pair.run(.seconds(3))
        // Others aren't begun on it.
        #expect(!connection.isOpen && pair.owner.goneAway == 1)
        pair.run(.seconds(27))
        #expect(exchange.answer.error == nil)
        pair.run(.seconds(3))
        #expect(exchange.answer.error?.kind == .networkConnectionLost)
        #expect(exchange.answer.error?.phase == (kind == .change ? .head : .body))
        #expect(pair.owner.closed == 1)
      }
    }

    /// As one that has had a GOAWAY, or whose session is being invalidated.
    @Test func connectionThatIsLeavingIsWatchedAsWell() throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        pair.server.forgetConnections()
        let exchange = pair.start(on: connection)
        connection.shutDown()
        pair.run(.milliseconds(9900))
        #expect(exchange.answer.error == nil)
        pair.run(.milliseconds(200))
        #expect(exchange.answer.error?.resendReason == .staleConnection)
        pair.run(.seconds(1))
        #expect(pair.owner.closed == 1)
      }
    }

    /// The network was away.
    @Test func whatWaitsOnEndsWhereTheServerIsHeardAgain() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        let exchange = try begin(.change, pair, connection)
        pair.run(.seconds(25))
        pair.network.cut(false)
        pair.run(.seconds(30))
        #expect(!connection.isOpen && exchange.answer.error == nil)
        pair.server.connections[0].respond(try #require(pair.server.requests.first).stream, body: 5)
        pair.run(.seconds(1))
        #expect(exchange.answer.isComplete)
        #expect(pair.owner.closed == 1)
      }
    }

    /// Elsewhere would be no better. Once it has one again, it waits anew.
    @Test(arguments: [21, 29]) func machineWithoutANetworkIsNoReason(_ seconds: Int64) throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        pair.network.clientHost = nil
        pair.network.cut(true)
        let exchange = pair.start(on: connection)
        pair.run(.seconds(seconds))
        #expect(connection.isOpen && exchange.answer.error == nil)
        pair.network.clientHost = "10.0.1.1"
        pair.network.cut(false)
        connection.networkChanged()
        pair.run(.seconds(5))
        #expect(connection.isOpen)
        pair.server.connections[0].respond(try #require(pair.server.requests.first).stream, body: 5)
        pair.run(.seconds(1))
        #expect(exchange.answer.isComplete)
      }
    }

    /// A server that takes its time over its answer acknowledges PINGs.
    @Test func slowAnswerIsWaitedFor() throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        let exchange = pair.start(on: connection)
        pair.run(.minutes(5))
        #expect(connection.isOpen && exchange.answer.error == nil)
        pair.server.connections[0].respond(pair.server.requests[0].stream, body: 5)
        pair.run(.seconds(1))
        #expect(exchange.answer.isComplete)
      }
    }

    /// The server must acknowledge that as well: later exchanges don't wait for a connection that is dead.
    @Test func silenceAfterAnExchangeWasGivenUpEndsTheConnection() throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        let exchanges = [pair.start(on: connection), pair.start(on: connection)]
        pair.run(.seconds(1))
        pair.network.cut(true)
        exchanges[0].exchange.interrupt(.cancelled())
        pair.run(.milliseconds(9900))
        #expect(connection.isOpen)
        pair.run(.milliseconds(200))
        #expect(!connection.isOpen)
        #expect(exchanges[1].answer.error?.resendReason == .staleConnection)
      }
    }

    private func answered(_ pair: HTTP3Pair, _ connection: HTTP3Connection) throws -> Bool {
      let exchange = pair.start(on: connection)
      pair.run(.seconds(1))
      return exchange.answer.isComplete
    }
  }
#endif
