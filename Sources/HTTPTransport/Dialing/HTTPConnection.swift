import LoadingModel
import NIOCore

/// A connection that a load has leased, for HTTP/1.1 and for multiplexed protocols.
package enum HTTPConnection: Sendable {
  /// HTTP/1.1: the load's alone until its exchange ends.
  case single(HTTP1Connection)
  /// An HTTP/2 or HTTP/3 connection, on which the load has one stream.
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

  /// Whether the load that leased the connection can begin: false once the peer has closed it or, with HTTP/2 and HTTP/3, has sent GOAWAY.
  package var isLeased: Bool {
    switch self {
    case .single(let connection): connection.isLeased
    case .shared(let connection): connection.isOpen
    }
  }

  /// Begins the exchange for which the connection was leased. `body` is sent with the head; `endsWithBody` says that no more body follows.
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

  /// Reserves the connection, or one of its streams, for a load that will begin soon.
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
