#if TestKit
  #if HTTP3
    import CLoadingQUIC
    import CLoadingQUICServer
    import Foundation
    import HTTPTransport
    import NIOCore

    /// The handler of a test server's UDP socket: passes datagrams to their connections, and accepts connections of new clients (RFC 9000, 5.2.2).
    ///
    /// Owned by its channel's pipeline and confined to the event loop.
    final class HTTP3Endpoint: ChannelInboundHandler {
      typealias InboundIn = AddressedEnvelope<ByteBuffer>
      typealias OutboundOut = AddressedEnvelope<ByteBuffer>

      private struct Farewell {
        let identifiers: Set<[UInt8]>
        let bytes: ByteBuffer
        let segment: Int
      }

      /// How many ended connections are kept in `farewells`, so that late datagrams of their clients are answered by CONNECTION_CLOSE.
      private static let farewellLimit = 64

      let server: HTTP3Server
      private(set) var channel: (any Channel)?
      private var context: ChannelHandlerContext?
      private var connections: [[UInt8]: HTTP3ServerConnection] = [:]
      private var farewells: [Farewell] = []
      /// Connections that have received datagrams since the last `channelReadComplete`, which lets them send their answers.
      private var due: [ObjectIdentifier: HTTP3ServerConnection] = [:]
      private var local: SocketAddress?

      init(_ server: HTTP3Server) { self.server = server }

      func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        channel = context.channel
        local = context.channel.localAddress
      }

      func channelActive(context: ChannelHandlerContext) {
        local = context.channel.localAddress
        context.fireChannelActive()
      }

      func handlerRemoved(context: ChannelHandlerContext) { endAll() }

      func channelInactive(context: ChannelHandlerContext) {
        endAll()
        context.fireChannelInactive()
      }

      /// Ignores errors of the socket, such as ICMP messages about clients that have gone; QUIC's own timers end their connections.
      func errorCaught(context: ChannelHandlerContext, error: any Error) {}

      private func endAll() {
        for connection in Array(connections.values) { connection.end() }
        (context, channel) = (nil, nil)
      }

      // MARK: - Datagrams

      func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        guard let path = uls_h3_path(local: local, remote: envelope.remoteAddress) else { return }
        let ecn = envelope.metadata?.ecnState.bits ?? 0
        envelope.data.withUnsafeReadableBytes { bytes in
          let datagram = uls_h3_bytes(data: bytes.bindMemory(to: UInt8.self).baseAddress, length: bytes.count)
          let identifier = Array(uls_h3_destination_of(datagram).buffer)
          if let connection = connections[identifier] ?? greet(datagram, identifier, path, envelope.remoteAddress) {
            connection.receive(bytes, from: path, ecn: ecn)
            due[ObjectIdentifier(connection)] = connection
          }
        }
      }

      func channelReadComplete(context: ChannelHandlerContext) {
        let answering = due.values
        due = [:]
        for connection in answering { connection.settle() }
        context.flush()
        context.fireChannelReadComplete()
      }

      /// Handles a datagram that belongs to no open connection. Returns a new connection if the datagram opens one; otherwise sends an answer if one
      /// is due.
      private func greet(
        _ datagram: uls_h3_bytes, _ identifier: [UInt8], _ path: uls_h3_path, _ remote: SocketAddress
      ) -> HTTP3ServerConnection? {
        if let farewell = farewells.first(where: { $0.identifiers.contains(identifier) }) {
          write(farewell.bytes, to: remote, segment: farewell.segment, ecn: .transportNotCapable)
          return nil
        }
        var (path, greeting) = (path, uls_h3_greeting())
        let arrival = server.secret.withUnsafeBufferPointer {
          uls_h3_greet(datagram, &path, $0.baseAddress, server.options.http3.sendsRetry ? 1 : 0, QUICClock.now, &greeting)
        }
        switch arrival {
        case ULS_H3_NEW: return accept(greeting, path, identifier)
        case ULS_H3_REPLY:
          let length = greeting.reply_length
          let reply = withUnsafeBytes(of: &greeting.reply) { ByteBuffer(bytes: $0.prefix(length)) }
          write(reply, to: remote, segment: 0, ecn: .transportNotCapable)
          return nil
        default: return nil
        }
      }

      private func accept(_ greeting: uls_h3_greeting, _ path: uls_h3_path, _ identifier: [UInt8]) -> HTTP3ServerConnection? {
        guard let eventLoop = context?.eventLoop, let connection = HTTP3ServerConnection(self, greeting, path, eventLoop: eventLoop) else {
          return nil
        }
        // Until the client knows the server's connection IDs, it addresses the connection by a random ID of its own.
        connection.named(identifier, isUsed: true)
        return connection
      }

      // MARK: - Connections

      func name(_ connection: HTTP3ServerConnection, _ identifier: [UInt8], isUsed: Bool) {
        connections[identifier] = isUsed ? connection : nil
      }

      func ended(_ connection: HTTP3ServerConnection) {
        for identifier in connection.identifiers { connections[identifier] = nil }
        due[ObjectIdentifier(connection)] = nil
        guard let (bytes, segment) = connection.farewell else { return }
        if farewells.count == HTTP3Endpoint.farewellLimit { farewells.removeFirst() }
        farewells.append(Farewell(identifiers: connection.identifiers, bytes: bytes, segment: segment))
      }

      func send(_ bytes: ByteBuffer, _ batch: uls_h3_batch) {
        guard let remote = SocketAddress(batch.path.remote) else { return }
        write(bytes, to: remote, segment: batch.segment, ecn: NIOExplicitCongestionNotificationState(bits: batch.ecn))
      }

      private func write(_ bytes: ByteBuffer, to remote: SocketAddress, segment: Int, ecn: NIOExplicitCongestionNotificationState) {
        let isMany = segment > 0 && bytes.readableBytes > segment
        let metadata = AddressedEnvelope<ByteBuffer>.Metadata(ecnState: ecn, packetInfo: nil, segmentSize: isMany ? segment : nil)
        context?.writeAndFlush(wrapOutboundOut(AddressedEnvelope(remoteAddress: remote, data: bytes, metadata: metadata)), promise: nil)
      }
    }
  #endif
#endif
