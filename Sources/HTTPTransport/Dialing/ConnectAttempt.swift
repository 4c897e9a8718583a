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
  /// The load for which it was begun, by its place in the pool's line.
  let cause: Int?
  /// Whether the server may choose HTTP/2.
  let offersHTTP2: Bool
  /// Whether it is over QUIC, beside those over TCP that the pool's machine knows of.
  let isBesideTCP: Bool
  let timings = ConnectTimings()
  /// Puts into each new channel what belongs there before it is connected.
  var prepare: ((any Channel) throws -> Void)?
  /// What its handshake asked the app, if there was one to ask.
  var questions: PeerChallengeHandler?
  /// What the app has said in a handshake before, whose server has fallen silent.
  var answers: PeerChallengeHandler.Answers?
  /// A socket was given up because its own address had left the machine.
  private(set) var hasLostPath = false
  /// The load for which tunnel and handshake are made, asked or not; nil before them, and while no load waits for them.
  var asker: Int?
  /// The app of its load is asked about the server by an attempt over QUIC; it is of no use any more.
  var hasYielded = false
  /// Whether requests may be sent before the server has answered, where the session allows it: then TCP isn't waited for.
  var allowsEarlyData = true
  /// Whether it leads to where the origin, or the DNS, says that it is served too, rather than to the origin itself.
  var isElsewhere = false
  /// Where it has led over TCP, if the DNS was asked about that (HTTPS records).
  var place: ServicePlace?
  /// Places that have turned out not to serve the origin, in attempts before this one.
  var refusedPlaces: Set<ServicePlace> = []
  /// Whether an application's table of places (`connectTo`) says nothing about it: it leads where a peer has said.
  var isAsSaid = false
  /// Told when it is ended from outside.
  var whenEnded: (() -> Void)?
  /// There was no load left whose app could be asked about the server.
  var foundNoAsker = false
  var origin: Origin { destination.origin }
  /// What its handshake offers over TCP (ALPN).
  var offeredProtocols: [String] { offersHTTP2 ? ["h2", ServicePlace.defaultProtocol] : [ServicePlace.defaultProtocol] }
  private var channels: [any Channel] = []
  private(set) var isEnded = false
  /// Whether the caller of `StreamDialer.openChannel`, which has no means to end the attempt, still needs the connection.
  var isNeeded: () -> Bool = { true }
  /// Whether a socket may still be connected for it.
  var isWanted: Bool { !isEnded && isNeeded() }

  init(_ id: Int, _ destination: Destination, for cause: Int?, offersHTTP2: Bool, isBesideTCP: Bool = false) {
    self.id = id
    self.destination = destination
    self.cause = cause
    self.offersHTTP2 = offersHTTP2
    self.isBesideTCP = isBesideTCP
  }

  /// One that isn't the pool's, for what isn't HTTP.
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

  /// Gives up the sockets that are bound to these addresses, whatever they have come to.
  func vanished(_ addresses: Set<String>) {
    for channel in channels where channel.boundAddress.map(addresses.contains) ?? false {
      hasLostPath = true
      channel.close(promise: nil)
    }
  }

  /// Closes what there is. The attempt fails soon, unless its connection was about to be handed over.
  func end() {
    isEnded = true
    for channel in channels { channel.close(promise: nil) }
    channels = []
    whenEnded.take()?()
  }
}
