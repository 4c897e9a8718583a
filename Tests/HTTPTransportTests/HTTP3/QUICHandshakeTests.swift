#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import NIOEmbedded
  import NIOPosix
  import Testing

  @testable import HTTPTransport

  /// What opening a connection over QUIC leaves behind, and how long it may take.
  @Suite(.timeLimit(.minutes(10))) struct QUICHandshakeTests {
    /// NIO's bootstrap of datagrams leaves a channel open whose initializer fails.
    @Test func socketThatIsNoLongerWantedIsClosed() async throws {
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let address = try SocketAddress(ipAddress: "127.0.0.1", port: 9)
      let ends = Mutex((begun: 0, closed: 0))
      let opened = QUICSocket.open(to: address, on: loop, settings: SocketSettings(), traffic: .standard) { channel in
        ends.withLock { $0.begun += 1 }
        channel.closeFuture.whenComplete { _ in ends.withLock { $0.closed += 1 } }
        return channel.eventLoop.makeFailedFuture(ChannelError.eof)
      }
      await #expect(throws: ChannelError.eof) { try await opened.get() }
      for _ in 0..<3 { try await loop.submit {}.get() }
      #expect(ends.withLock { $0.begun == 1 && $0.closed == 1 })
    }

    /// Before a round trip is measured, one of 333 ms is assumed (RFC 9002, 6.2.2): what follows the ClientHello isn't paced by it. ngtcp2 1.x
    /// paces by an assumed round trip of 1 ms, for which there is room.
    @Test func requestReachesTheServerOneRoundTripAfterTheClientHello() throws {
      try HTTP3Pair.run { pair in
        for direction in DatagramNetwork.Direction.allCases { pair.network.change(direction) { $0.latency = .milliseconds(5) } }
        let dialled = pair.dial()
        pair.run(.milliseconds(11))
        pair.start(on: try #require(dialled.connection))
        pair.run(.milliseconds(6))
        #expect(pair.server.requests.count == 1)
      }
    }

    /// The app may need long for a question that the handshake asks; the library's own limit is 10 s.
    @Test func handshakeWithoutALimitHasNone() throws {
      let security = HTTP3Security(
        origin: Origin(scheme: "https", host: "example.com", port: 443),
        settings: TLSSettings(minimumVersion: 0x0304, maximumVersion: 0x0304), policy: .none, identities: ClientIdentityCache(),
        tickets: TLSTicketStore(), questions: nil, eventLoop: EmbeddedEventLoop())
      let ssl = try security.make()
      let own = try SocketAddress(ipAddress: "127.0.0.1", port: 50_000)
      var path = try #require(uls_h3_path(local: own, remote: try SocketAddress(ipAddress: "127.0.0.1", port: 443)))
      var settings = uls_h3_default_settings()
      (settings.handshake_timeout, settings.idle_timeout) = (0, 0)
      var events = uls_h3_events.ofClient
      let none = uls_h3_bytes(data: nil, length: 0)
      let begin: UInt64 = 1_000_000_000
      let connection = try #require(uls_h3_client(ssl, &path, &settings, &events, nil, none, none, begin))
      defer { uls_h3_free(connection) }
      var buffer = [UInt8](repeating: 0, count: 4096)
      var batch = uls_h3_batch()
      #expect(uls_h3_write(connection, &buffer, buffer.count, &batch, begin) == ULS_H3_OPEN)
      #expect(batch.length > 0)
      #expect(uls_h3_expire(connection, begin + 600_000_000_000) == ULS_H3_OPEN)
    }
  }
#endif
