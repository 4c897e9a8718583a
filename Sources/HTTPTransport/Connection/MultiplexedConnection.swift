import LoadingModel
import NIOCore
import ProtocolRules

/// A connection that carries many exchanges at a time: of HTTP/2 or HTTP/3.
///
/// Owned by the pool; confined to the pool's event loop, from which all calls come.
package protocol MultiplexedConnection: ExchangeTransport, Sendable {
  /// The pool's number for the connection.
  var id: Int { get }
  var destination: Destination { get }
  /// The alternative service (RFC 7838) that the connection leads to; nil if it leads to the origin itself.
  var alternative: AlternativeEndpoint? { get }
  var timings: ConnectTimings { get }
  var facts: ConnectionFacts { get }
  /// Why its server was accepted: by the trust evaluation, or by a delegate against it.
  var peerAcceptance: PeerAcceptance { get }
  /// Exchanges begun on this connection.
  var exchangeCount: Int { get }
  /// Whether any exchange has had a response.
  var hasAnswered: Bool { get }
  /// The number of loads that the pool has promised a stream and that haven't begun their exchange yet. Set by the pool.
  var reservedStreams: Int { get set }
  /// As ALPN names it (RFC 7301, 6): "h2" or "h3".
  var protocolName: String { get }
  /// Exchanges that can begin now: none unless the connection is open, and none once the server has sent GOAWAY.
  var availableStreams: Int { get }
  /// Exchanges under way.
  var openStreams: Int { get }
  /// Exchanges that the server allows at a time.
  var maximumStreams: Int { get }
  /// Whether exchanges can begin, now or when others have ended.
  var isOpen: Bool { get }
  /// Whether the server takes extended CONNECT, as WebSockets need it (RFC 8441, RFC 9220).
  var allowsExtendedConnect: Bool { get }

  /// Begins an exchange on a stream of its own; to be called while `availableStreams` isn't zero. `body` is sent with the head; `endsWithBody` says
  /// that no more body follows.
  /// - Returns: Length of the request's encoded head in bytes.
  func start(_ exchange: Exchange, _ request: OutgoingRequest, body: ByteBuffer?, endsWithBody: Bool) -> Int
  /// Closes the connection at once; what is under way fails.
  func close()
  /// Begins nothing more, and closes when what is under way has ended.
  func shutDown()
  /// Whether the server's certificate is also valid for `host`, so that the connection may serve it. Never on a connection with a client certificate.
  func vouches(for host: String) -> Bool
  /// These local addresses have left the machine. A connection of HTTP/2 ends if its own is one; one of HTTP/3 takes another path.
  func pathsVanished(_ addresses: Set<String>)
  /// The machine's networks have changed: another path may be better now.
  func networkChanged()
  /// Ends the exchanges of loads that may not use the connection's present network, as if their connection had been lost.
  func losePath(of isBarred: (ConnectionTerms) -> Bool)
}

extension MultiplexedConnection {
  var isUnused: Bool { openStreams == 0 && reservedStreams == 0 }

  /// WebSockets stay for long: they take no more than half of the streams that the server allows, so that loads have some.
  var hasRoomForTunnel: Bool { allowsExtendedConnect && availableStreams - reservedStreams > max(1, maximumStreams / 2) }

  package var alternative: AlternativeEndpoint? { nil }
  package func networkChanged() {}
  package func losePath(of isBarred: (ConnectionTerms) -> Bool) {}
}

/// The owner of multiplexed connections: told when they can take more exchanges, take no more, or have closed.
///
/// All calls come on the event loop. From within a call the owner may query the connection, close it, or start exchanges on it.
package protocol MultiplexedConnectionOwner: AnyObject {
  /// There are more `availableStreams` than before: an exchange has ended, or the server allows more.
  func connectionGainedStreams(_ connection: any MultiplexedConnection)
  /// No exchange can begin any more; those that the server has accepted run to their ends. `connectionClosed` follows.
  func connectionGoesAway(_ connection: any MultiplexedConnection)
  /// The server has announced alternative services for `origin`: `alternatives` is the value of Alt-Svc (RFC 7838).
  func connection(_ connection: any MultiplexedConnection, announces alternatives: String, of origin: Origin)
  /// A connection to an alternative service has failed before its handshake was complete, but after it had taken requests (0-RTT). `connectionClosed`
  /// follows.
  func alternativeFailed(_ endpoint: AlternativeEndpoint, of origin: Origin, _ error: LoadError)
  /// The connection has closed; its exchanges end now.
  func connectionClosed(_ connection: any MultiplexedConnection)
  /// The connection has migrated to another local address, with exchanges of loads that may not use every network.
  func connectionMoved(_ connection: any MultiplexedConnection)
}

extension MultiplexedConnectionOwner {
  package func connectionMoved(_ connection: any MultiplexedConnection) {}
  package func alternativeFailed(_ endpoint: AlternativeEndpoint, of origin: Origin, _ error: LoadError) {}
}
