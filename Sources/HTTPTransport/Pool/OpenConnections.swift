import LoadingModel

/// A pool's open connections, each in one of three tables by its kind. A value of the pool.
struct OpenConnections {
  /// HTTP/1.1 connections, by their numbers.
  private(set) var single: [Int: HTTP1Connection] = [:]
  /// Multiplexed connections (HTTP/2, HTTP/3), by their numbers.
  private(set) var shared: [Int: any MultiplexedConnection] = [:]
  /// Connections that have switched from HTTP/1.1 to another protocol (101), each for one load, by their numbers.
  private var switched: [Int: HTTP1Connection] = [:]

  mutating func add(_ connection: HTTP1Connection) { single[connection.id] = connection }

  mutating func add(_ connection: any MultiplexedConnection) { shared[connection.id] = connection }

  /// Removes and returns an HTTP/1.1 connection; nil if it isn't in the table.
  mutating func removeSingle(_ id: Int) -> HTTP1Connection? { single.removeValue(forKey: id) }

  mutating func remove(_ connection: any MultiplexedConnection) { shared[connection.id] = nil }

  /// Moves a connection that has switched to another protocol out of the HTTP/1.1 table. It stays listed, to be closed with the others.
  mutating func switched(_ connection: HTTP1Connection) {
    single[connection.id] = nil
    switched[connection.id] = connection
  }

  mutating func removeSwitched(_ id: Int) { switched[id] = nil }

  func contains(_ connection: HTTP1Connection) -> Bool { single[connection.id] === connection }

  /// The HTTP/1.1 connections, including those that have switched to another protocol.
  var allSingle: [HTTP1Connection] { Array(single.values) + switched.values }

  /// Whether any connection leads to the origin of `destination` over its route, idle or in use.
  func lead(to destination: Destination) -> Bool {
    single.values.contains { $0.destination.leads(to: destination) } || shared.values.contains { $0.destination.leads(to: destination) }
  }

  /// The HTTP/3 connections to a destination.
  func overHTTP3(to destination: Destination) -> [any MultiplexedConnection] {
    shared.values.filter { $0.destination == destination && $0.protocolName == "h3" }
  }

  /// Reserves the connection that the machine has assigned to a load; nil if the load has to wait.
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

  /// The connection on which a request can be pipelined behind the fewest others; nil if there is none.
  func followed(to destination: Destination, _ takes: PeerAcceptance) -> HTTP1Connection? {
    single.values
      .filter { $0.destination == destination && takes.contains($0.peerAcceptance) && $0.takesFollower }
      .min { $0.followers.sent.count + $0.followers.reserved < $1.followers.sent.count + $1.followers.reserved }
  }
}
