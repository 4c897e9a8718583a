import LoadingModel

/// The connections of one pool, until they are closed: each is in one of three tables. A value of the pool's.
struct OpenConnections {
  /// Those of HTTP/1.1.
  private(set) var single: [Int: HTTP1Connection] = [:]
  /// Those that carry many exchanges.
  private(set) var shared: [Int: any MultiplexedConnection] = [:]
  /// Those that were of HTTP/1.1 and carry another protocol by now, each for one load.
  private var switched: [Int: HTTP1Connection] = [:]

  mutating func add(_ connection: HTTP1Connection) { single[connection.id] = connection }

  mutating func add(_ connection: any MultiplexedConnection) { shared[connection.id] = connection }

  /// Takes out a connection of HTTP/1.1; nil if it isn't one, or isn't any more.
  mutating func removeSingle(_ id: Int) -> HTTP1Connection? { single.removeValue(forKey: id) }

  mutating func remove(_ connection: any MultiplexedConnection) { shared[connection.id] = nil }

  /// The connection is out of use for HTTP, and has to be closed with the others.
  mutating func switched(_ connection: HTTP1Connection) {
    single[connection.id] = nil
    switched[connection.id] = connection
  }

  mutating func removeSwitched(_ id: Int) { switched[id] = nil }

  func contains(_ connection: HTTP1Connection) -> Bool { single[connection.id] === connection }

  /// Those that carry one exchange at a time, or what that has become.
  var allSingle: [HTTP1Connection] { Array(single.values) + switched.values }

  /// Whether any leads to a destination, in use or not.
  func lead(to destination: Destination) -> Bool {
    single.values.contains { $0.destination.leads(to: destination) } || shared.values.contains { $0.destination.leads(to: destination) }
  }

  /// Those of HTTP/3 to a destination.
  func overHTTP3(to destination: Destination) -> [any MultiplexedConnection] {
    shared.values.filter { $0.destination == destination && $0.protocolName == "h3" }
  }

  /// Reserves the connection of a load that needn't wait; nil if it has to.
  func reserve(_ outcome: PoolMachine<Destination>.RequestOutcome) -> HTTPConnection? {
    switch outcome {
    case .lease(let id):
      guard let connection = single[id] else { return nil }
      connection.reserve()
      return .single(connection)
    case .join(let id):
      guard let connection = shared[id] else { return nil }
      connection.reservedStreams += 1
      return .shared(connection)
    case .connect, .replace, .wait: return nil
    }
  }

  /// The connection on which a request may follow the fewest others.
  func followed(to destination: Destination, _ takes: PeerAcceptance) -> HTTP1Connection? {
    single.values
      .filter { $0.destination == destination && takes.contains($0.peerAcceptance) && $0.takesFollower }
      .min { $0.followers.sent.count + $0.followers.reserved < $1.followers.sent.count + $1.followers.reserved }
  }
}
