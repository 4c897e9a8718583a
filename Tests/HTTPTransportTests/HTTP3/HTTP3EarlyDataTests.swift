#if HTTP3
  import LoadingModel
  import NIOCore
  import Testing

  @testable import HTTPTransport

  /// Requests in the first flight of a resumed connection (RFC 9001, 4.6).
  @Suite(.timeLimit(.minutes(10))) struct HTTP3EarlyDataTests {
    @Test func safeRequestIsAnsweredAfterOneRoundTrip() throws {
      try HTTP3Pair.run { pair in
        for direction in DatagramNetwork.Direction.allCases { pair.network.change(direction) { $0.latency = .milliseconds(140) } }
        let connection = try pair.connectEarly()
        let before = pair.server.requests.count
        let exchange = pair.start(on: connection)
        pair.run(.milliseconds(279))
        #expect(exchange.answer.status == nil)
        // A handshake before it would make it 560.
        pair.run(.milliseconds(200))
        #expect(exchange.answer.isComplete)
        #expect(exchange.answer.body == QUICServer.body(3))
        #expect(pair.server.requests.count == before + 1)
        pair.run(.seconds(1))
        #expect(connection.facts.quic?.earlyData == .accepted)
        #expect(connection.facts.isTLSResumed)
      }
    }

    /// RFC 9001, 4.6.2: what is refused has reached no application, and the same connection carries it again.
    @Test(arguments: [1, 20]) func refusedRequestsAreSentAgainOnce(_ count: Int) throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connectEarly(isRefused: true)
        let before = pair.server.requests.count
        let exchanges = (0..<count).map { _ in pair.start(on: connection) }
        pair.run(.seconds(2))
        #expect(exchanges.allSatisfy { $0.answer.isComplete && $0.answer.body == QUICServer.body(3) })
        #expect(pair.server.requests.count == before + count)
        #expect(pair.server.connections.count == 2)
        #expect(connection.facts.quic?.earlyData == .refused)
        #expect(connection.exchangeCount == count * 2)
      }
    }

    /// A connection that shuts down closes as soon as the last request is cancelled that was deferred to the handshake.
    @Test func connectionThatNoRequestWaitsForEndsBeforeItsHandshake() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connectEarly()
        let uploads = (0..<2).map { _ in pair.start("POST", on: connection, body: QUICServer.body(10), ends: false) }
        #expect(connection.openStreams == 2)
        uploads[0].exchange.interrupt(.cancelled())
        #expect(connection.openStreams == 1)
        connection.shutDown()
        #expect(pair.network.openSockets == 1)
        uploads[1].exchange.interrupt(.cancelled())
        #expect(connection.openStreams == 0)
        #expect(pair.network.openSockets == 0)
      }
    }

    @Test func connectionThatIsLetGoOfTakesItsSocketAlong() throws {
      try HTTP3Pair.run { pair in
        try { _ = try pair.connect() }()
        pair.run(.milliseconds(1))
        #expect(pair.network.openSockets == 0)
      }
    }

    /// RFC 8470, 2.3: an attacker could repeat it.
    @Test(arguments: [false, true]) func requestThatIsNotSafeWaitsForTheHandshake(_ isRefused: Bool) throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connectEarly(isRefused: isRefused)
        let before = pair.server.requests.count
        let upload = pair.start("POST", on: connection, body: QUICServer.body(1000), ends: false)
        #expect(!connection.isWritable(upload.exchange))
        connection.send(ByteBuffer(bytes: QUICServer.body(500)), of: upload.exchange)
        connection.finish(upload.exchange)
        pair.run(.milliseconds(39))
        #expect(pair.server.requests.count == before)
        pair.run(.seconds(1))
        #expect(upload.answer.isComplete)
        let sent: [UInt8] = QUICServer.body(1000) + QUICServer.body(500)
        #expect(pair.server.requests.last?.body == sent)
      }
    }

    /// RFC 8470, 5.2: what was answered with 425 isn't early data again.
    @Test func requestThatCameTooEarlyWaitsForTheHandshake() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connectEarly()
        let before = pair.server.requests.count
        let repeated = pair.start(on: connection, avoidsEarlyData: true)
        pair.run(.milliseconds(39))
        #expect(pair.server.requests.count == before)
        pair.run(.seconds(1))
        #expect(repeated.answer.isComplete)
        #expect(pair.server.requests.count == before + 1)
      }
    }

    @Test func requestThatIsGivenUpMeanwhileIsNotSent() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connectEarly()
        let before = pair.server.requests.count
        let upload = pair.start("POST", on: connection, body: QUICServer.body(10))
        upload.exchange.interrupt(.cancelled())
        pair.run(.seconds(1))
        #expect(pair.server.requests.count == before)
        #expect(upload.answer.error?.kind == .cancelled)
        #expect(connection.isOpen)
        #expect(connection.openStreams == 0)
      }
    }

    /// A server that answered before may be out of reach now: 0.3 s.
    @Test func requestsThatNothingAnswersMayBeSentAgainElsewhere() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connectEarly(isBesideTCP: true)
        pair.network.cut(true)
        let exchanges = [pair.start(on: connection), pair.start("POST", on: connection, body: [1])]
        pair.run(.milliseconds(290))
        #expect(connection.isOpen)
        pair.run(.milliseconds(20))
        #expect(!connection.isOpen)
        #expect(pair.owner.closed == 2)
        #expect(pair.owner.failed.count == 1)
        #expect(exchanges[0].answer.error?.resendReason == .staleConnection)
        #expect(exchanges[1].answer.error?.resendReason == .refused)
        #expect(pair.clock.planned == 0)
      }
    }

    /// Something has come of the server, and nothing follows: 10 s, as behind a handshake.
    @Test(arguments: [("GET", LoadError.ResendReason.staleConnection), ("POST", .refused)])
    func requestsOfAHandshakeThatStopsMayBeSentAgainElsewhere(_ method: String, _ reason: LoadError.ResendReason) throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connectEarly(isBesideTCP: true)
        // It asks for a proof of the address, and nothing of what it says to that arrives.
        pair.server.asksAgain = true
        pair.network.losesAllAfterFirst(.toClient)
        let exchange = pair.start(method, on: connection, body: method == "POST" ? [1] : nil)
        pair.run(.seconds(9))
        #expect(connection.isOpen)
        pair.run(.seconds(2))
        #expect(!connection.isOpen)
        #expect(pair.owner.failed.count == 1)
        #expect(exchange.answer.error?.resendReason == reason)
      }
    }

    @Test func connectionThatEndsBeforeItsHandshakeWaitsForNothing() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connectEarly()
        connection.close()
        #expect(pair.clock.planned == 0)
      }
    }

    /// A legal race: the connection ends between the pool's promise and the request.
    @Test(arguments: ["GET", "POST"]) func requestForAConnectionThatHasEndedFailsAtOnce(_ method: String) throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connectEarly()
        connection.close()
        #expect(pair.start(method, on: connection, body: method == "POST" ? [1] : nil).answer.error?.kind == .networkConnectionLost)
      }
    }

    /// What was begun ends as it may; nothing more is taken.
    @Test func connectionThatIsShutDownBeforeItsHandshakeEndsAfterIt() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connectEarly()
        let exchanges = [pair.start(on: connection), pair.start("POST", on: connection, body: [1])]
        connection.shutDown()
        let late = pair.start("POST", on: connection, body: [1])
        pair.run(.seconds(1))
        #expect(exchanges.allSatisfy { $0.answer.isComplete })
        #expect(late.answer.error?.kind == .networkConnectionLost)
        #expect(pair.owner.closed == 2)
      }
    }

    /// Nothing is kept alive without a reason: the connection ends when it is idle.
    @Test func connectionWhoseEarlyRequestsWereGivenUpBecomesIdle() throws {
      try HTTP3Pair.run { pair in
        pair.server.settings.idle_timeout = 30_000_000_000
        let connection = try pair.connectEarly(isRefused: true)
        let exchange = pair.start(on: connection)
        pair.run(.milliseconds(39))
        exchange.exchange.interrupt(.cancelled())
        pair.run(.seconds(33))
        #expect(!connection.isOpen)
      }
    }
  }
#endif
