#if TestKit
  #if HTTP3
    import CLoadingQUIC
    import CLoadingQUICServer
    import Foundation
    import HTTPTransport
    import NIOCore
    import NIOHPACK
    import NIOHTTP2

    /// One HTTP/3 connection that a test server has accepted. `ServedStream` serves its streams, as it does those of HTTP/2.
    ///
    /// Owned by its endpoint, which delivers the received datagrams and sends the datagrams that the connection writes. Confined to the event loop.
    ///
    ///     handshake --ended--> open --close, failure, peer's close--> over
    final class HTTP3ServerConnection {
      private enum Phase {
        case handshake, open, over
      }

      /// How long the end of a stream or of the connection waits for the acknowledgment of bytes that were sent before.
      private static let patience = TimeAmount.seconds(15)
      /// The most bytes of datagrams that are passed to the socket in one write.
      private static let batchSize = 16 * 1500

      let eventLoop: any EventLoop
      let server: HTTP3Server
      let path: uls_h3_path
      private unowned let endpoint: HTTP3Endpoint
      private var handle: OpaquePointer?
      private var ordinal = 0
      private var phase = Phase.handshake
      private var facts: RecordedRequest.Connection
      private let tls: UnsafeMutableRawPointer
      private var streams: [Int64: HTTP3StreamChannel] = [:]
      /// The received fields of sections that haven't ended, by stream.
      private var sections: [Int64: HPACKHeaders] = [:]
      /// The streams that have received frames which haven't been delivered to their channels yet.
      private var touched: Set<Int64> = []
      private var isAwake = false
      private var timer: Scheduled<Void>?
      private var deliveries: [(deadline: NIODeadline, action: () -> Void)] = []
      private(set) var identifiers: Set<[UInt8]> = []
      /// The last datagrams, with the CONNECTION_CLOSE. The endpoint sends them again in answer to later datagrams of the peer.
      private(set) var farewell: (bytes: ByteBuffer, segment: Int)?

      /// Accepts the connection that `greeting` opens; nil if there isn't enough memory.
      init?(_ endpoint: HTTP3Endpoint, _ greeting: uls_h3_greeting, _ path: uls_h3_path, eventLoop: any EventLoop) {
        guard let tls = endpoint.server.makeTLS() else { return nil }
        (self.endpoint, self.path, self.eventLoop, self.tls) = (endpoint, path, eventLoop, tls)
        server = endpoint.server
        facts = RecordedRequest.Connection(ordinal: 0)
        var (greeting, path, settings) = (greeting, path, server.settings)
        let own = Unmanaged.passUnretained(self).toOpaque()
        let secret = server.secret
        handle = secret.withUnsafeBufferPointer {
          uls_h3_server(tls, &greeting, &path, &settings, HTTP3ServerConnection.events, own, $0.baseAddress, QUICClock.now)
        }
        guard handle != nil else { return nil }
        ordinal = server.record.accept(ServedHTTP3Connection(self))
        facts = RecordedRequest.Connection(ordinal: ordinal)
        (facts.tlsVersion, facts.negotiatedProtocol) = (.tls13, "h3")
      }

      // MARK: - Packets

      func receive(_ bytes: UnsafeRawBufferPointer, from path: uls_h3_path, ecn: Int32) {
        guard let handle else { return }
        var path = path
        let datagram = uls_h3_bytes(data: bytes.bindMemory(to: UInt8.self).baseAddress, length: bytes.count)
        conclude(uls_h3_read(handle, &path, ecn, datagram, QUICClock.now))
      }

      /// Schedules `settle` for the next turn of the event loop.
      func wake() {
        guard !isAwake, handle != nil else { return }
        isAwake = true
        eventLoop.assumeIsolated().execute { if self.isAwake { self.settle() } }
      }

      /// Delivers received frames to the streams' channels, sends pending packets, and sets the timer for the next deadline.
      func settle() {
        isAwake = false
        for identifier in touched { streams[identifier]?.deliver() }
        touched = []
        guard let handle, write(handle) else { return }
        for stream in streams.values { stream.progress() }
        deliver(handle)
        schedule(handle)
      }

      /// Sends pending packets. False if the connection has ended.
      private func write(_ handle: OpaquePointer) -> Bool {
        var isClosing = false
        while true {
          var batch = uls_h3_batch()
          var buffer = ByteBuffer()
          var state = ULS_H3_OPEN
          buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: HTTP3ServerConnection.batchSize) { bytes in
            state = uls_h3_write(
              handle, bytes.bindMemory(to: UInt8.self).baseAddress, HTTP3ServerConnection.batchSize, &batch, QUICClock.now)
            return min(batch.length, HTTP3ServerConnection.batchSize)
          }
          if batch.length > 0 {
            endpoint.send(buffer, batch)
            if state == ULS_H3_CLOSING { farewell = (buffer, batch.segment) }
            // If the socket has no route to the client any more, sending has ended the connection.
            guard self.handle != nil else { return false }
          }
          switch state {
          case ULS_H3_OPEN: if batch.length == 0 { return true }
          // When a call has failed, only the next call returns the packet with CONNECTION_CLOSE.
          case ULS_H3_CLOSING where batch.length > 0 || !isClosing: isClosing = true
          default:
            end()
            return false
          }
        }
      }

      /// Handles the state that a C call returned. False if the connection has ended.
      @discardableResult
      private func conclude(_ state: uls_h3_state) -> Bool {
        switch state {
        case ULS_H3_OPEN: return true
        case ULS_H3_CLOSING:
          wake()
          return true
        default:
          end()
          return false
        }
      }

      private func schedule(_ handle: OpaquePointer) {
        timer?.cancel()
        timer = nil
        var deadline = uls_h3_expiry(handle)
        if let first = deliveries.first { deadline = min(deadline, first.deadline.uptimeNanoseconds) }
        guard deadline < UInt64(Int64.max) else { return }
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: .uptimeNanoseconds(deadline)) { [weak self] in self?.expire() }
      }

      private func expire() {
        guard let handle else { return }
        let now = QUICClock.now
        if uls_h3_expiry(handle) <= now, !conclude(uls_h3_expire(handle, now)) { return }
        settle()
      }

      // MARK: - The end of the connection

      /// Calls `action` once the peer has acknowledged everything that was sent before on all streams, or after 15 seconds.
      func whenDelivered(_ action: @escaping () -> Void) {
        deliveries.append((.now() + HTTP3ServerConnection.patience, action))
        wake()
      }

      private func deliver(_ handle: OpaquePointer) {
        guard let first = deliveries.first else { return }
        guard streams.keys.allSatisfy({ uls_h3_is_delivered(handle, $0) != 0 }) || first.deadline <= .now() else { return }
        let due = deliveries
        deliveries = []
        for (_, action) in due { action() }
        wake()
      }

      func close(_ code: UInt64) {
        guard let handle else { return }
        uls_h3_close(handle, code)
        wake()
      }

      /// Ends the connection without telling the peer, and frees the C connection, so that no event follows.
      func end() {
        guard let handle else { return }
        self.handle = nil
        timer?.cancel()
        deliveries = []
        if case .handshake = phase { server.record.state.update { $0.failedHandshakes += 1 } }
        phase = .over
        let streams = streams.values
        self.streams = [:]
        for stream in streams { stream.ended() }
        endpoint.ended(self)
        server.record.closed(ordinal)
        uls_h3_free(handle)
      }
    }

    // MARK: - Streams

    extension HTTP3ServerConnection {
      func consumed(_ count: Int, on stream: Int64) {
        guard let handle, count > 0 else { return }
        uls_h3_consume(handle, stream, count)
        uls_h3_consume_connection(handle, count)
        wake()
      }

      func unsent(on stream: Int64) -> Int { handle.map { uls_h3_unsent($0, stream) } ?? 0 }

      func inform(_ fields: HPACKHeaders, on stream: Int64) {
        guard let handle else { return }
        fields.withFields { _ = uls_h3_inform(handle, stream, $0, $1) }
      }

      func respond(_ fields: HPACKHeaders, on stream: Int64, ends: Bool) {
        guard let handle else { return }
        fields.withFields { _ = uls_h3_respond(handle, stream, $0, $1, ends ? 1 : 0) }
      }

      func trail(_ fields: HPACKHeaders, on stream: Int64) {
        guard let handle else { return }
        fields.withFields { _ = uls_h3_trail(handle, stream, $0, $1) }
      }

      /// Gives body bytes to the QUIC library. False if it doesn't take them because the stream or the connection has ended.
      func send(_ bytes: ByteBuffer, on stream: Int64) -> Bool {
        guard let handle else { return false }
        return bytes.withUnsafeReadableBytes {
          uls_h3_send(handle, stream, uls_h3_bytes(data: $0.bindMemory(to: UInt8.self).baseAddress, length: $0.count)) != 0
        }
      }

      func finish(_ stream: Int64) {
        if let handle { _ = uls_h3_finish(handle, stream) }
      }

      func stopReading(_ stream: Int64) {
        guard let handle else { return }
        uls_h3_stop_reading(handle, stream, HTTP3Code.noError)
        wake()
      }

      func cancel(_ stream: Int64, _ code: UInt64) {
        guard let handle else { return }
        uls_h3_cancel(handle, stream, code)
        wake()
      }

      func goAway() {
        guard let handle else { return }
        uls_h3_go_away(handle)
        wake()
      }
    }

    // MARK: - Events from the C connection

    extension HTTP3ServerConnection {
      func handshakeEnded() {
        phase = .open
        facts.clientCertificate = server.peerCertificate(of: tls)
      }

      func took(_ name: uls_h3_bytes, _ value: uls_h3_bytes, on stream: Int64) {
        sections[stream, default: HPACKHeaders()].add(name, value)
      }

      func sectionEnded(on stream: Int64) {
        let fields = sections.removeValue(forKey: stream) ?? HPACKHeaders()
        receive(.headers(.init(headers: fields)), on: stream, opens: true)
      }

      /// The QUIC library has cancelled the stream, because its field section is larger than the settings allow.
      func sectionRefused(on stream: Int64) {
        sections[stream] = nil
        streams[stream]?.receiveReset(HTTP3Code.excessiveLoad)
        wake()
      }

      func receive(_ frame: HTTP2Frame.FramePayload, on stream: Int64, opens: Bool = false) {
        if streams[stream] == nil, opens { open(stream) }
        streams[stream]?.receive(frame)
        touched.insert(stream)
        wake()
      }

      func reset(_ stream: Int64, _ code: UInt64) { streams[stream]?.receiveReset(code) }

      func streamClosed(_ stream: Int64, _ code: UInt64) {
        sections[stream] = nil
        guard let channel = streams[stream] else { return }
        // The peer's STOP_SENDING isn't reported by ngtcp2 itself, only by the error code with which the stream is closed.
        if code == HTTP3Code.noError { channel.deliver() } else { channel.receiveReset(code) }
        streams[stream] = nil
        // Completes the channel's pending writes: a stream closes after all its bytes have been sent.
        channel.progress()
        channel.ended()
      }

      private func open(_ stream: Int64) {
        let channel = HTTP3StreamChannel(stream, of: self, parent: endpoint.channel, remoteAddress: SocketAddress(path.remote))
        streams[stream] = channel
        let connection = ServedHTTP3Connection(self)
        try? channel.pipeline.syncOperations.addHandler(
          ServedStream(
            facts: facts, replySource: server.replySource, record: server.record, options: server.options, connection: connection))
      }

      func named(_ identifier: [UInt8], isUsed: Bool) {
        if isUsed { identifiers.insert(identifier) } else { identifiers.remove(identifier) }
        endpoint.name(self, identifier, isUsed: isUsed)
      }
    }
  #endif
#endif
