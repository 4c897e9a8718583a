#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import Testing

  @testable import HTTPTransport

  /// Exchanges between a client and a server in one thread: what a network does to their datagrams, and how streams end.
  @Suite(.timeLimit(.minutes(10))) struct HTTP3ExchangeTests {
    // MARK: networks

    /// Packets of the first flights are spread over some time (pacing), less than a tenth of a second.
    @Test func handshakeAndExchangeTakeOneRoundTripEach() throws {
      try HTTP3Pair.run { pair in
        for direction in DatagramNetwork.Direction.allCases { pair.network.change(direction) { $0.latency = .milliseconds(300) } }
        let dialled = pair.dial()
        pair.run(.milliseconds(599))
        #expect(dialled.connection == nil)
        pair.run(.milliseconds(101))
        let connection = try #require(dialled.connection)
        let begin = try #require(connection.timings.connectStart)
        let end = try #require(connection.timings.connectEnd)
        #expect((0.6...0.7).contains(end.seconds(since: begin)))
        let exchange = pair.start(on: connection)
        pair.run(.milliseconds(599))
        #expect(exchange.answer.status == nil)
        pair.run(.milliseconds(101))
        #expect(exchange.answer.status == 200)
        #expect(exchange.answer.body == QUICServer.body(3))
        #expect(exchange.answer.isComplete)
        let request = try #require(pair.server.requests.first)
        #expect(request.isEnded)
        #expect(request.fields[":method"] == "GET")
        #expect(request.fields[":authority"] == "10.0.0.99")
        let facts = connection.facts
        #expect(facts.tlsVersion == 0x0304)
        #expect(!facts.isTLSResumed)
        #expect(facts.remoteAddress == "10.0.0.99")
        #expect(facts.quic?.version == 1)
        // One object as long as neither the path nor the security changes: by it, recordings know the connection again.
        #expect(connection.facts === facts)
      }
    }

    /// RFC 9114, 4.1.1: the server would count the stream as open otherwise.
    @Test func requestIsBrokenOffWhereTheServerBreaksItsAnswerOff() throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        let exchange = pair.start("POST", on: connection, body: [1, 2, 3], ends: false)
        pair.run(.seconds(1))
        let stream = try #require(pair.server.requests.first).stream
        pair.server.connections[0].reset(stream, 0x102)
        pair.run(.seconds(1))
        #expect(exchange.answer.error?.kind == .networkConnectionLost)
        #expect(pair.server.requests.first?.reset == 0x10C)
        #expect(connection.isOpen && connection.openStreams == 0)
      }
    }

    /// Without a Retry token of its own the server doesn't begin.
    @Test func clientShowsThatItReceives() throws {
      try HTTP3Pair.run { pair in
        pair.server.asksAgain = true
        let exchange = pair.start(on: try pair.connect())
        pair.run(.seconds(1))
        #expect(exchange.answer.isComplete)
        #expect(pair.server.connections.count == 1)
      }
    }

    @Test(arguments: DatagramNetwork.Direction.allCases, [3, 7, 20])
    func bodiesArriveWholeWhereDatagramsAreLost(_ direction: DatagramNetwork.Direction, _ every: Int) throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .body(200_000) }
        pair.network.change(direction) { $0.losesEvery = every }
        let dialled = pair.dial()
        pair.run(.seconds(20))
        let connection = try #require(dialled.connection)
        let sent = QUICServer.body(150_000)
        let exchange = pair.start("POST", on: connection, body: sent)
        pair.run(.seconds(60))
        #expect(exchange.answer.isComplete)
        #expect(exchange.answer.body == QUICServer.body(200_000))
        #expect(pair.server.requests.map(\.body) == [sent])
      }
    }

    @Test(arguments: DatagramNetwork.Direction.allCases)
    func bodiesArriveWholeWhereDatagramsOvertakeEachOther(_ direction: DatagramNetwork.Direction) throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .body(200_000) }
        pair.network.change(direction) { $0.delaysEvery = 3 }
        let sent = QUICServer.body(150_000)
        let exchange = pair.start("POST", on: try pair.connect(), body: sent)
        pair.run(.seconds(20))
        #expect(exchange.answer.isComplete)
        #expect(exchange.answer.body == QUICServer.body(200_000))
        #expect(pair.server.requests.map(\.body) == [sent])
      }
    }

    @Test func manyExchangesShareAConnection() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        let exchanges = (0..<50).map { _ in pair.start(on: connection) }
        #expect(connection.openStreams == 50)
        pair.run(.seconds(1))
        #expect(exchanges.allSatisfy { $0.answer.isComplete })
        #expect(connection.openStreams == 0)
        #expect(connection.exchangeCount == 50)
        #expect(pair.server.connections.count == 1)
      }
    }

    /// What isn't read isn't sent for: the server's window for the stream stays closed.
    @Test func exchangeThatIsNotReadHoldsUpItsServerAndNoOther() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        pair.server.reply = { _ in .body(2_000_000) }
        let unread = pair.start(on: connection)
        pair.run(.seconds(5))
        pair.server.reply = { _ in .body(3) }
        let other = pair.start(on: connection)
        pair.run(.seconds(1))
        #expect(other.answer.isComplete)
        #expect(!unread.exchange.hasEndedInbound)
        for _ in 0..<100 where !unread.answer.isComplete { pair.run(.milliseconds(200)) }
        #expect(unread.answer.isComplete)
        #expect(unread.answer.body == QUICServer.body(2_000_000))
      }
    }

    /// Bytes wait with their producer where the server takes none: it is told when there is room.
    @Test func producerWaitsForRoom() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        let upload = pair.start("POST", on: connection, ends: false).exchange
        var sent = 0, told = 0
        upload.whenWritable = { told += 1 }
        func fill() {
          while connection.isWritable(upload), sent < 5_000_000 {
            connection.send(ByteBuffer(bytes: QUICServer.body(50_000)), of: upload)
            sent += 50_000
          }
        }
        fill()
        #expect(sent < 5_000_000)
        #expect(told == 0)
        for _ in 0..<200 {
          pair.run(.milliseconds(100))
          fill()
        }
        connection.finish(upload)
        pair.run(.seconds(5))
        #expect(sent == 5_000_000)
        #expect(told > 0)
        let request = try #require(pair.server.requests.first)
        #expect(request.body.count == sent)
        #expect(request.isEnded)
      }
    }

    /// A WebSocket that is being closed waits for these.
    @Test func bytesThatTheServerHasNotTakenCount() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        let upload = pair.start("POST", on: connection, ends: false).exchange
        #expect(connection.unwrittenBytes(of: upload) == 0)
        // What is on its way doesn't.
        connection.send(ByteBuffer(bytes: QUICServer.body(6)), of: upload)
        pair.run(.milliseconds(1))
        #expect(connection.unwrittenBytes(of: upload) == 0)
        // More than a new connection sends without having heard from the server.
        connection.send(ByteBuffer(bytes: QUICServer.body(200_000)), of: upload)
        pair.run(.milliseconds(1))
        let left = connection.unwrittenBytes(of: upload)
        #expect(left > 50_000)
        pair.run(.seconds(1))
        #expect(connection.unwrittenBytes(of: upload) < left)
        pair.run(.seconds(5))
        #expect(connection.unwrittenBytes(of: upload) == 0)
        connection.finish(upload)
        pair.run(.seconds(1))
      }
    }

    @Test func bytesThatTheServerHasNotAcknowledgedCount() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        let upload = pair.start("POST", on: connection, ends: false).exchange
        connection.send(ByteBuffer(bytes: QUICServer.body(6)), of: upload)
        pair.run(.milliseconds(1))
        #expect(connection.unacknowledgedBytes(of: upload) == 6)
        pair.run(.seconds(1))
        #expect(connection.unacknowledgedBytes(of: upload) == 0)
        pair.network.cut(true)
        connection.send(ByteBuffer(bytes: QUICServer.body(6)), of: upload)
        pair.run(.seconds(5))
        #expect(connection.unacknowledgedBytes(of: upload) == 6)
        pair.network.cut(false)
        pair.run(.seconds(5))
        connection.finish(upload)
        pair.run(.seconds(1))
      }
    }

    // MARK: ends of streams

    @Test func streamThatTheServerResetsFailsAlone() throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        let exchanges = [pair.start(on: connection), pair.start(on: connection), pair.start(on: connection)]
        pair.run(.seconds(1))
        let served = pair.server.connections[0]
        served.respond(pair.server.requests[0].stream, body: 1000, ends: false)
        pair.run(.seconds(1))
        served.reset(pair.server.requests[0].stream, 0x102)
        served.reset(pair.server.requests[1].stream, 0x10b)
        served.respond(pair.server.requests[2].stream, body: 5)
        pair.run(.seconds(1))
        let broken = exchanges[0].answer
        #expect(broken.status == 200)
        #expect(broken.body.count == 1000)
        #expect(broken.error?.kind == .networkConnectionLost)
        #expect(broken.error?.phase == .body)
        #expect(broken.error?.resendReason == nil)
        #expect(exchanges[1].answer.error?.resendReason == .refused)
        #expect(exchanges[2].answer.isComplete)
        #expect(exchanges[2].answer.body.count == 5)
        #expect(connection.isOpen)
        #expect(connection.openStreams == 0)
      }
    }

    /// STOP_SENDING: the rest of the request isn't sent, and its response comes.
    @Test func uploadThatTheServerStopsIsAnswered() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        let upload = pair.start("POST", on: connection, body: QUICServer.body(1000), ends: false)
        pair.run(.seconds(1))
        let served = pair.server.connections[0]
        let stream = try #require(pair.server.requests.first?.stream)
        served.stopReading(stream, 0x100)
        pair.run(.seconds(1))
        connection.send(ByteBuffer(bytes: QUICServer.body(1000)), of: upload.exchange)
        served.respond(stream, body: 4)
        pair.run(.seconds(1))
        #expect(upload.answer.isComplete)
        #expect(upload.answer.body.count == 4)
        let request = pair.server.requests[0]
        #expect(request.body.count == 1000)
        #expect(request.reset != nil)
      }
    }

    /// RFC 9114, 4.1: a server may answer before it has the whole request.
    @Test func restOfARequestThatIsAnsweredIsBrokenOff() throws {
      try HTTP3Pair.run { pair in
        let connection = try pair.connect()
        let upload = pair.start("POST", on: connection, body: QUICServer.body(1000), ends: false)
        pair.run(.seconds(1))
        pair.server.connections[0].respond(try #require(pair.server.requests.first?.stream), body: 4)
        pair.run(.seconds(1))
        #expect(upload.answer.isComplete)
        #expect(pair.server.requests[0].reset == 0x100)
        #expect(connection.isOpen)
        #expect(connection.openStreams == 0)
      }
    }

    @Test func exchangeThatIsGivenUpIsBrokenOffInBothDirections() throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        let upload = pair.start("POST", on: connection, body: QUICServer.body(1000), ends: false)
        pair.run(.seconds(1))
        upload.exchange.interrupt(.cancelled())
        pair.run(.seconds(1))
        #expect(pair.server.requests[0].reset == 0x10c)
        #expect(upload.answer.error?.kind == .cancelled)
        #expect(connection.isOpen)
        #expect(connection.openStreams == 0)
        // The server has acknowledged it: it is there.
        pair.run(.seconds(20))
        #expect(connection.isOpen)
      }
    }

    /// A connection may last, and a server may open any number of streams.
    @Test func streamsAreWatchedToTheirEnds() throws {
      try HTTP3Pair.run { pair in
        let watcher = HTTP3Pair.FrameWatcher()
        pair.watcher = watcher
        let connection = try pair.connect()
        let frames = try #require(connection.frames)
        let lasting = frames.watchedDirections
        #expect(lasting > 0)
        let exchange = pair.start(on: connection)
        pair.run(.milliseconds(1))
        #expect(frames.watchedDirections == lasting + 1)
        pair.run(.seconds(2))
        #expect(exchange.answer.isComplete)
        #expect(watcher.frames.contains { $0.stream == 0 && !$0.isSent })
        #expect(frames.watchedDirections == lasting)
        pair.server.reply = { _ in .body(200_000) }
        let abandoned = pair.start(on: connection)
        pair.run(.milliseconds(50))
        abandoned.exchange.interrupt(.cancelled())
        pair.run(.seconds(2))
        #expect(frames.watchedDirections == lasting)
        // A unidirectional stream of the server's, which has no exchange.
        let own = Unmanaged.passUnretained(connection).toOpaque()
        [UInt8(0x21)].withUnsafeBufferPointer { uls_h3_events.streamWatcher(own, 63, 0, uls_h3_bytes(data: $0.baseAddress, length: 1)) }
        #expect(frames.watchedDirections == lasting + 1)
        uls_h3_events.streamEndWatcher(own, 63)
        #expect(frames.watchedDirections == lasting)
      }
    }

    @Test func goAwayLetsTheRestEnd() throws {
      try HTTP3Pair.run { pair in
        pair.server.reply = { _ in .none }
        let connection = try pair.connect()
        let exchange = pair.start(on: connection)
        pair.run(.seconds(1))
        pair.server.connections[0].goAway()
        pair.run(.seconds(1))
        #expect(pair.owner.goneAway == 1)
        #expect(!connection.isOpen)
        #expect(connection.openStreams == 1)
        #expect(pair.start(on: connection).answer.error?.resendReason != nil)
        pair.server.connections[0].respond(pair.server.requests[0].stream, body: 4)
        pair.run(.seconds(1))
        #expect(exchange.answer.isComplete)
        #expect(pair.owner.closed == 1)
        #expect(pair.server.connections[0].failure?.code == 0x100)
      }
    }
  }
#endif
