import LoadingModel

/// What attempts over QUIC ask of the pool, and tell it. All calls on the event loop.
protocol RaceOwner: AttemptOwner, Sendable {
  /// The loads that wait for connections, to any destination.
  var waiting: WaitingLoads { get }
  /// The loads that wait for a destination, the next one first.
  func line(of destination: Destination) -> [Int]
  /// The load that is served next there; nil if none waits.
  func next(to destination: Destination) -> Int?
  /// Whether a connection of HTTP/3 serves the loads that take servers accepted in one of these ways.
  func hasAlternative(_ destination: Destination, for takes: PeerAcceptance) -> Bool

  /// Serves those who wait for the attempt on a connection to another origin, if there is one that leads to the same server.
  func coalesce(_ attempt: ConnectAttempt) async -> Bool
  /// The attempt has brought a connection; the load it was made for comes first.
  func connected(_ attempt: ConnectAttempt, _ connection: any MultiplexedConnection, for asker: Int?)

  /// Begins an attempt over TCP that was held.
  func open(_ attempt: ConnectAttempt)
  /// Tells the failure of an attempt over TCP.
  func conclude(_ attempt: ConnectAttempt, _ error: LoadError)
  /// An attempt over TCP has ended, because its load's app is asked about the server over QUIC.
  func yielded(_ destination: Destination)
  /// Ends the attempts over TCP if no load waits there.
  ///
  /// - Returns: Whether none does, and there were any.
  func relinquish(_ destination: Destination) -> Bool
  /// Opens what connections over TCP those who wait need.
  func replenish(_ destination: Destination)
}
