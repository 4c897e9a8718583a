import LoadingModel

/// The pool, as `AlternativeRaces` uses it. All calls on the event loop.
protocol RaceOwner: AttemptOwner, WaitingLoadOwner, Sendable {
  /// The loads that wait for connections, to any destination.
  var waiting: WaitingLoads { get }
  /// The loads that wait for a destination, the next one first.
  func line(of destination: Destination) -> [Int]
  /// The load in line that is served next; nil if none waits.
  func next(to destination: Destination) -> Int?
  /// Whether an HTTP/3 connection serves loads to `destination` whose tolerated peer acceptances are `takes`.
  func hasAlternative(_ destination: Destination, for takes: PeerAcceptance) -> Bool

  /// Serves the loads that wait for the attempt by a connection to another origin, if one leads to the same server; returns whether one did.
  func coalesce(_ attempt: ConnectAttempt) async -> Bool
  /// The attempt has opened a connection, which serves the load `asker` first.
  func connected(_ attempt: ConnectAttempt, _ connection: any MultiplexedConnection, for asker: Int?)

  /// Begins an attempt over TCP that was held.
  func open(_ attempt: ConnectAttempt)
  /// Reports the failure of an attempt over TCP to the loads that waited for it.
  func conclude(_ attempt: ConnectAttempt, _ error: LoadError)
  /// An attempt over TCP has ended, because an attempt over QUIC asks its load's app.
  func yielded(_ destination: Destination)
  /// Ends the attempts over TCP if no load waits for the destination.
  ///
  /// - Returns: Whether there were attempts and they were ended.
  func relinquish(_ destination: Destination) -> Bool
  /// Begins as many attempts over TCP as the waiting loads need.
  func replenish(_ destination: Destination)
}
