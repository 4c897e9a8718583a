#if TestKit
  #if HTTP3
    import CLoadingQUIC
    import Foundation
    import HTTPTransport
    import NIOCore
    import NIOHTTP2

    /// The connection that an event is of. It is alive: its handle, which tells the event, is freed before it ends.
    private func served(_ own: UnsafeMutableRawPointer?) -> HTTP3ServerConnection? {
      own.map { Unmanaged<HTTP3ServerConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    extension HTTP3ServerConnection {
      /// The events of all connections, for the life of the process. It isn't changed once it is made.
      nonisolated(unsafe) static let events: UnsafePointer<uls_h3_events> = {
        let events = UnsafeMutablePointer<uls_h3_events>.allocate(capacity: 1)
        events.initialize(to: makeEvents())
        return UnsafePointer(events)
      }()

      private static func makeEvents() -> uls_h3_events {
        var events = uls_h3_events.unheard
        events.handshake_ended = { served($0)?.handshakeEnded() }
        events.field = { own, stream, name, value in served(own)?.took(name, value, on: stream) }
        events.section_ended = { own, stream, _ in served(own)?.sectionEnded(on: stream) }
        events.section_refused = { own, stream in served(own)?.sectionRefused(on: stream) }
        events.data = { own, stream, bytes in
          served(own)?.receive(.data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes.buffer)))), on: stream)
        }
        events.stream_ended = { own, stream, _ in
          served(own)?.receive(.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)), on: stream)
        }
        events.stream_reset = { own, stream, code in served(own)?.reset(stream, code) }
        events.stopped = { own, stream, code in served(own)?.reset(stream, code) }
        events.stream_closed = { own, stream, code in served(own)?.streamClosed(stream, code) }
        events.names_connection = { own, identifier, isUsed in served(own)?.named(Array(identifier.buffer), isUsed: isUsed != 0) }
        return events
      }
    }

    /// A connection of HTTP/3 as those see it that end it.
    struct ServedHTTP3Connection: ServedConnection {
      let eventLoop: any EventLoop
      private let connection: NIOLoopBound<Weak<HTTP3ServerConnection>>

      init(_ connection: HTTP3ServerConnection) {
        eventLoop = connection.eventLoop
        self.connection = NIOLoopBound(Weak(connection), eventLoop: eventLoop)
      }

      /// CONNECTION_CLOSE: QUIC has no other end that the peer notices at once.
      func end(_ kind: WireStep.Disconnection) {
        let code =
          switch kind {
          case .orderly, .abrupt, .exchange: HTTP3Code.noError
          case .reset: HTTP3Code.internalError
          }
        guard let connection = connection.value.object else { return }
        connection.whenDelivered { [weak connection] in connection?.close(code) }
      }

      func breakOff() { connection.value.object?.close(HTTP3Code.noError) }

      /// RFC 9114, 5.2. The library names the streams it has seen as processed: one that isn't is refused besides.
      func goAway(isProcessed: Bool, on stream: any Channel) {
        guard let connection = connection.value.object else { return }
        connection.goAway()
        guard !isProcessed, let stream = stream as? HTTP3StreamChannel else { return }
        connection.cancel(stream.identifier, HTTP3Code.requestRejected)
      }
    }
  #endif
#endif
