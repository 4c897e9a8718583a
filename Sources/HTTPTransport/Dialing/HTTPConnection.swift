import LoadingModel
import NIOCore

/// A connection for a load, whichever HTTP it speaks.
package enum HTTPConnection: Sendable {
  /// HTTP/1.1: the load's alone until its exchange ends.
  case single(HTTP1Connection)
  /// HTTP/2 or HTTP/3: the load has a stream on it.
  case shared(any MultiplexedConnection)

  package var id: Int {
    switch self {
    case .single(let connection): connection.id
    case .shared(let connection): connection.id
    }
  }

  package var transport: any ExchangeTransport {
    switch self {
    case .single(let connection): connection
    case .shared(let connection): connection
    }
  }

  package var timings: ConnectTimings {
    switch self {
    case .single(let connection): connection.timings
    case .shared(let connection): connection.timings
    }
  }

  package var facts: ConnectionFacts {
    switch self {
    case .single(let connection): connection.facts
    case .shared(let connection): connection.facts
    }
  }

  /// Exchanges begun on this connection.
  package var exchangeCount: Int {
    switch self {
    case .single(let connection): connection.exchangeCount
    case .shared(let connection): connection.exchangeCount
    }
  }

  /// As ALPN names it (RFC 7301, 6).
  package var protocolName: String {
    switch self {
    case .single: "http/1.1"
    case .shared(let connection): connection.protocolName
    }
  }

  /// Whether a load that leased it can begin: false once the peer has closed it, or has said that it will.
  package var isLeased: Bool {
    switch self {
    case .single(let connection): connection.isLeased
    case .shared(let connection): connection.isOpen
    }
  }

  /// Begins the exchange that it was leased for. `body` is sent with the head; it is all there is if `endsWithBody`.
  /// - Returns: Length of the request's head in bytes.
  package func start(_ exchange: Exchange, _ request: OutgoingRequest, body: ByteBuffer?, endsWithBody: Bool) -> Int {
    switch self {
    case .single(let connection):
      return connection.start(exchange, request, body: body, endsWithBody: endsWithBody)
    case .shared(let connection):
      connection.reservedStreams -= 1
      return connection.start(exchange, request, body: body, endsWithBody: endsWithBody)
    }
  }

  var peerAcceptance: PeerAcceptance {
    switch self {
    case .single(let connection): connection.peerAcceptance
    case .shared(let connection): connection.peerAcceptance
    }
  }

  /// Promises it to a load that will begin soon.
  func reserve() {
    switch self {
    case .single(let connection): connection.reserve()
    case .shared(let connection): connection.reservedStreams += 1
    }
  }

  func close() {
    switch self {
    case .single(let connection): connection.close()
    case .shared(let connection): connection.close()
    }
  }
}
