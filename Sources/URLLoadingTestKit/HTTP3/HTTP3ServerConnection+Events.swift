#if TestKit
  #if HTTP3
    import CLoadingQUIC
    import Foundation
    import HTTPTransport
    import NIOCore
    import NIOHTTP2

    /// The connection object of an event from C. It is alive, because the C connection, which reports the event, is freed before the object ends.
    private func served(_ own: UnsafeMutableRawPointer?) -> HTTP3ServerConnection? {
      own.map { Unmanaged<HTTP3ServerConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    extension HTTP3ServerConnection {
      /// The table of event callbacks that all connections share. It is never changed or freed.
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

    /// A reference to an HTTP/3 connection through which the server and its streams end the connection.
    struct ServedHTTP3Connection: ServedConnection {
      let eventLoop: any EventLoop
      private let connection: NIOLoopBound<Weak<HTTP3ServerConnection>>

      init(_ connection: HTTP3ServerConnection) {
        eventLoop = connection.eventLoop
        self.connection = NIOLoopBound(Weak(connection), eventLoop: eventLoop)
      }

      /// Closes the connection by CONNECTION_CLOSE, once earlier bytes have been acknowledged. In QUIC any other end would be noticed by the peer's
      /// idle timeout only.
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

      /// Sends GOAWAY (RFC 9114, 5.2). The QUIC library declares all streams that it has seen as processed; if this stream isn't to count as
      /// processed, it is also reset with H3_REQUEST_REJECTED.
      func goAway(isProcessed: Bool, on stream: any Channel) {
        guard let connection = connection.value.object else { return }
        connection.goAway()
        guard !isProcessed, let stream = stream as? HTTP3StreamChannel else { return }
        connection.cancel(stream.identifier, HTTP3Code.requestRejected)
      }
    }
  #endif
#endif
