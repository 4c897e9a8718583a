import LoadingModel
import NIOCore
import ProtocolRules

/// One attempt to open a connection, with the sockets it is trying, so that it can be ended from outside.
///
/// Owned by the pool; confined to its event loop.
package final class ConnectAttempt: @unchecked Sendable {
  // @unchecked: confined to the session's event loop, on which its channels are as well.
  let id: Int
  let destination: Destination
  /// The number in the pool's waiting line of the load for which the attempt was begun; nil if it is for any waiting load.
  let cause: Int?
  /// Whether the TLS handshake offers HTTP/2 by ALPN.
  let offersHTTP2: Bool
  /// Whether the attempt is over QUIC while TCP is tried as well: the pool's machine, which decides about attempts over TCP, doesn't count it.
  let isBesideTCP: Bool
  let timings = ConnectTimings()
  /// Adds handlers to each new channel before it is connected; nil for HTTP, whose handlers are added later.
  var prepare: ((any Channel) throws -> Void)?
  /// The questions of the attempt's handshake to the app (trust, client certificate); nil if no load has an app to ask.
  var questions: PeerChallengeHandler?
  /// The app's answers in an earlier handshake of this attempt, whose server stopped answering; the next handshake uses them.
  var answers: PeerChallengeHandler.Answers?
  /// Whether a socket was given up because its local address had left the machine.
  private(set) var hasLostPath = false
  /// The number of the waiting load for which tunnel and handshake are made, whether its app is asked or not; nil before, and while no load waits.
  var asker: Int?
  /// Whether an attempt over QUIC asks the app of this attempt's load about the server, so that this attempt over TCP must not ask it.
  var hasYielded = false
  /// Whether early data (0-RTT) may be sent, if the session allows it: only while TCP isn't being tried yet.
  var allowsEarlyData = true
  /// Whether the attempt leads to a place that an HTTPS record or Alt-Svc has named, rather than to the origin itself.
  var isElsewhere = false
  /// The place of an HTTPS record (or the origin itself) that was connected to over TCP; nil if HTTPS records aren't followed.
  var place: ServicePlace?
  /// Places that earlier attempts have shown not to serve the origin: this attempt leaves them out.
  var refusedPlaces: Set<ServicePlace> = []
  /// Whether the app's table of places (`connectTo`) is ignored, because a peer has named the address (as FTP's PASV does).
  var isAsSaid = false
  /// Called when the attempt is ended early by `end`.
  var whenEnded: (() -> Void)?
  /// Whether the handshake over QUIC ended because no load came in time whose app could be asked about the server.
  var foundNoAsker = false
  var origin: Origin { destination.origin }
  /// The ALPN names that the handshake over TCP offers.
  var offeredProtocols: [String] { offersHTTP2 ? ["h2", ServicePlace.defaultProtocol] : [ServicePlace.defaultProtocol] }
  private var channels: [any Channel] = []
  private(set) var isEnded = false
  /// Whether a caller of `StreamDialer.openChannel` still needs the connection: it can't end the attempt itself.
  var isNeeded: () -> Bool = { true }
  /// Whether sockets may still be connected for the attempt.
  var isWanted: Bool { !isEnded && isNeeded() }

  init(_ id: Int, _ destination: Destination, for cause: Int?, offersHTTP2: Bool, isBesideTCP: Bool = false) {
    self.id = id
    self.destination = destination
    self.cause = cause
    self.offersHTTP2 = offersHTTP2
    self.isBesideTCP = isBesideTCP
  }

  /// An attempt outside of the pool, for a protocol other than HTTP.
  convenience init(_ destination: Destination, prepare: @escaping (any Channel) throws -> Void) {
    self.init(0, destination, for: nil, offersHTTP2: false)
    self.prepare = prepare
  }

  /// A socket is about to be connected. The returned future fails if the attempt has ended: the next address isn't tried.
  func began(on channel: any Channel) -> EventLoopFuture<Void> {
    guard !isEnded else { return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
    channels.append(channel)
    guard let prepare else { return channel.eventLoop.makeSucceededVoidFuture() }
    return channel.eventLoop.makeCompletedFuture { try prepare(channel) }
  }

  /// Closes the sockets that are bound to these local addresses, which have left the machine.
  func vanished(_ addresses: Set<String>) {
    for channel in channels where channel.boundAddress.map(addresses.contains) ?? false {
      hasLostPath = true
      channel.close(promise: nil)
    }
  }

  /// Ends the attempt and closes its sockets. Its caller then gets an error, unless the connection was complete already.
  func end() {
    isEnded = true
    for channel in channels { channel.close(promise: nil) }
    channels = []
    whenEnded.take()?()
  }
}
