#if TestKit
  #if HTTP3
    import CLoadingQUIC
    import CLoadingQUICServer
    import Foundation
    import HTTPTransport
    import NIOCore
    import NIOHPACK
    import NIOHTTP2

    /// One connection of HTTP/3 that a test server has accepted. Streams are served as those of HTTP/2 are, by `ServedStream`.
    ///
    /// Owned by its endpoint, which brings datagrams and sends those that it writes. Confined to the event loop.
    ///
    ///     handshake --ended--> open --close, failure, peer's close--> over
    final class HTTP3ServerConnection {
      private enum Phase {
        case handshake, open, over
      }

      /// How long what was sent before may take to arrive, where the end of a stream or of the connection waits for it.
      private static let patience = TimeAmount.seconds(15)
      /// Bytes that are written at once.
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
      /// Field sections that are being read.
      private var sections: [Int64: HPACKHeaders] = [:]
      /// Streams to which something has come that hasn't been passed on.
      private var touched: Set<Int64> = []
      private var isAwake = false
      private var timer: Scheduled<Void>?
      private var deliveries: [(deadline: NIODeadline, action: () -> Void)] = []
      private(set) var identifiers: Set<[UInt8]> = []
      /// The last datagrams, with which later ones of the peer are answered.
      private(set) var farewell: (bytes: ByteBuffer, segment: Int)?

      /// nil if there is no memory.
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

      // MARK: packets

      func receive(_ bytes: UnsafeRawBufferPointer, from path: uls_h3_path, ecn: Int32) {
        guard let handle else { return }
        var path = path
        let datagram = uls_h3_bytes(data: bytes.bindMemory(to: UInt8.self).baseAddress, length: bytes.count)
        conclude(uls_h3_read(handle, &path, ecn, datagram, QUICClock.now))
      }

      /// Writes soon.
      func wake() {
        guard !isAwake, handle != nil else { return }
        isAwake = true
        eventLoop.assumeIsolated().execute { if self.isAwake { self.settle() } }
      }

      /// Passes on what has come, sends what there is to send, and sets the timer.
      func settle() {
        isAwake = false
        for identifier in touched { streams[identifier]?.deliver() }
        touched = []
        guard let handle, write(handle) else { return }
        for stream in streams.values { stream.progress() }
        deliver(handle)
        schedule(handle)
      }

      /// False if the connection is over.
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
            // Where there is no way to the client any more, the connection has ended with the packet.
            guard self.handle != nil else { return false }
          }
          switch state {
          case ULS_H3_OPEN: if batch.length == 0 { return true }
          // The closing packet comes with the call after the one that fails.
          case ULS_H3_CLOSING where batch.length > 0 || !isClosing: isClosing = true
          default:
            end()
            return false
          }
        }
      }

      /// False if the connection is over.
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

      // MARK: ending

      /// Calls `action` once the peer has what was sent before, or after a while.
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

      /// No event follows; the peer isn't told.
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

    // MARK: streams

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

      /// Whether the bytes are taken.
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

    // MARK: events

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

      /// The library has cancelled the stream.
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
        // ngtcp2 tells only by this code that the peer has stopped reading (STOP_SENDING).
        if code == HTTP3Code.noError { channel.deliver() } else { channel.receiveReset(code) }
        streams[stream] = nil
        // All of it has been sent.
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
