#if HTTP3
  import LoadingModel
  import NIOCore
  import Testing

  @testable import HTTPTransport

  /// Connections whose addresses change, by themselves or on the way (RFC 9000, 9).
  @Suite(.timeLimit(.minutes(10))) struct HTTP3PathTests {
    /// A router on the way has forgotten the client: the server sees another address, and asks whether the client is there.
    @Test func exchangesGoOnWhereTheClientsAddressChanges() throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .body(200_000) }
        let connection = try pair.connect()
        let sent = QUICServer.body(150_000)
        let exchange = pair.start("POST", on: connection, body: sent)
        pair.run(.milliseconds(50))
        try pair.network.rebind()
        pair.run(.seconds(20))
        #expect(exchange.answer.isComplete)
        #expect(exchange.answer.body == QUICServer.body(200_000))
        #expect(pair.server.requests.map(\.body) == [sent])
        #expect(connection.isOpen)
        #expect(pair.server.connections.count == 1)
      }
    }

    @Test func connectionMovesToTheNetworkThatIsPreferredNow() throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .body(200_000) }
        let connection = try pair.connect()
        let exchange = pair.start(on: connection)
        pair.run(.milliseconds(50))
        pair.network.clientHost = "10.0.1.1"
        connection.networkChanged()
        pair.run(.seconds(10))
        #expect(exchange.answer.isComplete)
        #expect(exchange.answer.body == QUICServer.body(200_000))
        #expect(connection.facts.localAddress == "10.0.1.1")
        #expect(connection.facts.quic?.moves == [QUICFacts.Move(from: "10.0.0.1", to: "10.0.1.1")])
      }
    }

    /// As where the new network is cellular, and the load may not use such ones.
    @Test func loadsThatMayNotUseTheNewNetworkLeave() throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        let (restricted, other) = (pair.start(on: connection), pair.start(on: connection))
        restricted.exchange.context.terms.access = .all.subtracting(.cellular)
        pair.run(.seconds(1))
        pair.network.clientHost = "10.0.1.1"
        connection.networkChanged()
        pair.run(.seconds(1))
        #expect(pair.owner.moved == 1)
        connection.losePath { !$0.access.contains(.cellular) }
        pair.run(.seconds(1))
        #expect(restricted.answer.error?.resendReason == .pathLost)
        #expect(connection.openStreams == 1)
        pair.server.connections[0].respond(pair.server.requests[1].stream, body: 5)
        pair.run(.seconds(1))
        #expect(other.answer.isComplete)
        pair.network.clientHost = "10.0.2.1"
        connection.networkChanged()
        pair.run(.seconds(1))
        #expect(pair.owner.moved == 1)
      }
    }

    @Test func connectionStaysWhereThePreferredNetworkIsItsOwn() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        let port = connection.facts.localPort
        connection.networkChanged()
        pair.run(.seconds(1))
        #expect(connection.facts.localPort == port)
        #expect(connection.facts.quic?.moveCount == 0)
      }
    }

    /// Without a way to the server the connection waits for one.
    @Test func connectionOutlivesATimeWithoutANetwork() throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        let exchange = pair.start(on: connection)
        pair.run(.seconds(1))
        pair.network.clientHost = nil
        pair.network.closeSockets()
        pair.run(.seconds(20))
        #expect(connection.isOpen)
        #expect(!exchange.exchange.hasEndedInbound)
        pair.network.clientHost = "10.0.1.1"
        connection.networkChanged()
        pair.run(.seconds(1))
        pair.server.connections[0].respond(pair.server.requests[0].stream, body: 5)
        pair.run(.seconds(1))
        #expect(exchange.answer.isComplete)
        #expect(exchange.answer.body.count == 5)
      }
    }

    /// The next load may get to the server over another family of addresses.
    @Test(arguments: [false, true]) func connectionWithoutExchangesEndsWithItsNetwork(_ isBusy: Bool) throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in isBusy ? .none : .body(3) }
        let connection = try pair.connect()
        let exchange = pair.start(on: connection)
        pair.run(.seconds(1))
        #expect(exchange.answer.isComplete != isBusy)
        pair.network.clientHost = nil
        connection.pathsVanished(["10.0.0.1"])
        pair.run(.milliseconds(1))
        #expect(connection.isOpen == isBusy)
        exchange.exchange.interrupt(.cancelled())
        pair.run(.milliseconds(1))
        #expect(!connection.isOpen)
        #expect(pair.owner.closed == 1)
      }
    }

    @Test func addressThatVanishesIsLeft() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        pair.network.clientHost = "10.0.1.1"
        connection.pathsVanished(["10.0.0.7"])
        pair.run(.seconds(1))
        #expect(connection.facts.localAddress == "10.0.0.1")
        connection.pathsVanished(["10.0.0.1"])
        pair.run(.seconds(1))
        #expect(connection.facts.localAddress == "10.0.1.1")
        let exchange = pair.start(on: connection)
        pair.run(.seconds(1))
        #expect(exchange.answer.isComplete)
      }
    }

    /// There is nothing to go back to: loads whose answer hasn't begun are told that they may try another way.
    @Test func newPathThatDoesNotLeadToTheServerEndsTheConnection() throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        let exchanges = [pair.start(on: connection), pair.start(on: connection)]
        pair.run(.seconds(1))
        pair.server.connections[0].respond(pair.server.requests[0].stream, body: 5, ends: false)
        pair.run(.seconds(1))
        pair.network.clientHost = "10.0.1.1"
        pair.network.cut(true)
        connection.networkChanged()
        pair.run(.seconds(50))
        #expect(!connection.isOpen)
        #expect(pair.owner.closed == 1)
        #expect(exchanges[0].answer.status == 200)
        #expect(exchanges[0].answer.error?.phase == .body)
        #expect(exchanges[1].answer.error?.resendReason == .pathLost)
      }
    }

    /// RFC 9000, 18.2 (disable_active_migration).
    @Test func connectionThatMayNotMoveEndsWithItsAddress() throws {
      try HTTP3Pair.run { pair in
        pair.server.settings.forbids_migration = 1
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        let exchange = pair.start(on: connection)
        pair.run(.seconds(1))
        pair.network.clientHost = "10.0.1.1"
        connection.pathsVanished(["10.0.0.7"])
        connection.networkChanged()
        pair.run(.seconds(5))
        #expect(connection.isOpen)
        #expect(pair.network.openSockets == 1)
        connection.pathsVanished(["10.0.0.1"])
        #expect(!connection.isOpen)
        #expect(pair.owner.closed == 1)
        #expect(exchange.answer.error?.resendReason == .pathLost)
      }
    }

    /// As where the system has noticed the loss first, and refuses to send.
    @Test func connectionThatMayNotMoveEndsWithItsSocket() throws {
      try HTTP3Pair.run { pair in
        pair.server.settings.forbids_migration = 1
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        let exchange = pair.start(on: connection)
        pair.run(.seconds(1))
        pair.network.clientHost = "10.0.1.1"
        pair.network.closeSockets()
        pair.run(.seconds(1))
        #expect(!connection.isOpen)
        #expect(pair.owner.closed == 1)
        #expect(exchange.answer.error?.resendReason == .pathLost)
      }
    }

    /// Nothing arrives at the address any more, the confirmation neither.
    @Test func addressThatVanishesBeforeTheHandshakeIsConfirmedEndsTheConnection() throws {
      try HTTP3Pair.run { pair in
        let dialled = pair.dial()
        for _ in 0..<200 where dialled.connection == nil { pair.run(.milliseconds(1)) }
        let connection = try #require(dialled.connection)
        let exchange = pair.start(on: connection)
        pair.network.clientHost = "10.0.1.1"
        connection.pathsVanished(["10.0.0.1"])
        #expect(!connection.isOpen)
        #expect(exchange.answer.error?.resendReason == .pathLost)
      }
    }

    /// What is left of the first move's question doesn't count.
    @Test func secondMoveMayBeginBeforeTheServerHasAnsweredTheFirst() throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .body(200_000) }
        let connection = try pair.connect()
        let exchange = pair.start(on: connection)
        pair.run(.milliseconds(50))
        pair.network.clientHost = "10.0.1.1"
        connection.networkChanged()
        pair.run(.milliseconds(1))
        #expect(connection.facts.localAddress == "10.0.1.1")
        pair.network.clientHost = "10.0.2.1"
        connection.pathsVanished(["10.0.1.1"])
        pair.run(.seconds(10))
        #expect(connection.isOpen)
        #expect(connection.facts.localAddress == "10.0.2.1")
        #expect(exchange.answer.isComplete)
        #expect(exchange.answer.body == QUICServer.body(200_000))
      }
    }

    /// RFC 9000, 9: not before the handshake is confirmed.
    @Test func handshakeDoesNotMove() throws {
      try HTTP3Pair.run { pair in
        let dialled = pair.dial()
        for _ in 0..<200 where dialled.connection == nil { pair.run(.milliseconds(1)) }
        pair.network.clientHost = "10.0.1.1"
        let connection = try #require(dialled.connection)
        connection.networkChanged()
        #expect(connection.facts.localAddress == "10.0.0.1")
        // The change isn't forgotten.
        pair.run(.seconds(1))
        #expect(connection.facts.localAddress == "10.0.1.1")
      }
    }

    @Test func changeThatComesDuringAMoveIsNotMissed() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        pair.network.opensLater = true
        // The way is still the old one, so that the socket that is being opened isn't taken.
        connection.networkChanged()
        pair.network.clientHost = "10.0.1.1"
        connection.pathsVanished(["10.0.0.1"])
        pair.run(.seconds(1))
        #expect(connection.facts.localAddress == "10.0.1.1")
        #expect(connection.facts.quic?.moveCount == 1)
        let exchange = pair.start(on: connection)
        pair.run(.seconds(1))
        #expect(exchange.answer.isComplete)
      }
    }
  }
#endif
