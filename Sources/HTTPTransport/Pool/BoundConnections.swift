import LoadingModel

/// The pool's connections that are authenticated (NTLM, Negotiate): each serves only loads that have its `BoundAuthentication`.
///
/// The pool's machine counts them as in use. Owned by the pool; confined to its event loop.
package final class BoundConnections {
  private struct Entry {
    let connection: HTTP1Connection
    /// The authentication that the connection is bound to; nil if the connection has to be closed when its exchange ends.
    var authentication: BoundAuthentication?
    /// The time since which the connection has been idle, in nanoseconds; nil while it is in use.
    var idleSince: UInt64?
  }

  /// What the pool has to do with a connection whose exchange has ended.
  enum Fate {
    /// The connection isn't bound to an authentication.
    case unbound
    case kept
    case close
  }

  private var entries: [Int: Entry] = [:]

  var isEmpty: Bool { entries.isEmpty }

  var oldestIdle: UInt64? { entries.values.compactMap(\.idleSince).min() }

  func add(_ connection: HTTP1Connection, _ authentication: BoundAuthentication) {
    entries[connection.id] = Entry(connection: connection, authentication: authentication, idleSince: nil)
  }

  /// Takes an idle connection to `destination` that is bound to `authentication`, the one used last; it counts as in use then. nil if there is none.
  func take(_ authentication: BoundAuthentication, _ destination: Destination, _ takes: PeerAcceptance) -> HTTP1Connection? {
    let free = entries.values.filter {
      $0.authentication === authentication && $0.idleSince != nil && $0.connection.destination.leads(to: destination)
        && (!$0.connection.peerAcceptance.isOverridden || takes.contains($0.connection.peerAcceptance))
    }
    guard let latest = free.max(by: { ($0.idleSince ?? 0) < ($1.idleSince ?? 0) }) else { return nil }
    entries[latest.connection.id]?.idleSince = nil
    return latest.connection
  }

  /// Binds a connection to `new`, because the server has just refused a request under `old` on it; does nothing if it is in use or bound to another
  /// one by now.
  package func move(_ id: Int, from old: BoundAuthentication, to new: BoundAuthentication) {
    guard let entry = entries[id], entry.authentication === old, entry.idleSince != nil else { return }
    entries[id]?.authentication = new
  }

  /// Binds all connections of `old`, idle or in use, to `new`. With nil they are given up: returns the idle ones, to be closed now.
  func replace(_ old: BoundAuthentication, by new: BoundAuthentication?) -> [HTTP1Connection] {
    var closing: [HTTP1Connection] = []
    for (id, entry) in entries where entry.authentication === old {
      entries[id]?.authentication = new
      if new == nil, entry.idleSince != nil { closing.append(entry.connection) }
    }
    return retired(closing)
  }

  /// The exchange on `connection` has ended: keeps it idle, if it is bound and may be kept.
  func becameFree(_ connection: HTTP1Connection, now: UInt64, isDraining: Bool) -> Fate {
    guard let entry = entries[connection.id] else { return .unbound }
    // The load whose authentication is under way needs this connection for its next message.
    let isKept = entry.authentication.map { !connection.isRetired || $0.holder == .handshake } ?? false
    guard isKept, connection.isIdle, !isDraining else {
      entries[connection.id] = nil
      return .close
    }
    entries[connection.id]?.idleSince = now
    return .kept
  }

  /// Removes a connection; returns whether it was bound.
  func remove(_ id: Int) -> Bool { entries.removeValue(forKey: id) != nil }

  /// Takes the connections that have been idle since `deadline` or longer out of use, and returns them to be closed. They stay listed until closed.
  func retireFree(since deadline: UInt64 = .max) -> [HTTP1Connection] {
    retired(entries.values.filter { ($0.idleSince ?? .max) <= deadline && $0.idleSince != nil }.map(\.connection))
  }

  /// Makes idle connections unavailable: closing TLS takes time, in which they must not be leased.
  private func retired(_ connections: [HTTP1Connection]) -> [HTTP1Connection] {
    for connection in connections {
      entries[connection.id]?.authentication = nil
      entries[connection.id]?.idleSince = nil
    }
    return connections
  }

  /// The destinations to which `authentication` has idle connections.
  func freeDestinations(of authentication: BoundAuthentication) -> Set<Destination> {
    Set(entries.values.filter { $0.authentication === authentication && $0.idleSince != nil }.map(\.connection.destination))
  }

  /// Takes an idle connection to `destination` out of use, to be closed; nil if there is none. Not one whose authentication is under way.
  func retireSpare(to destination: Destination) -> HTTP1Connection? {
    let spare = entries.values.first { isSpare($0) && $0.connection.destination.leads(to: destination) }
    return spare.map { retired([$0.connection]) }?.first
  }

  /// Takes all idle connections out of use, to be closed, except those whose authentication is under way: a load needs them for its next message.
  func retireSpare() -> [HTTP1Connection] { retired(entries.values.filter(isSpare).map(\.connection)) }

  private func isSpare(_ entry: Entry) -> Bool { entry.idleSince != nil && entry.authentication?.holder != .handshake }
}

extension ConnectionPool {
  /// Leases an idle connection that is bound to `authentication`; nil if there is none. A connection whose server a delegate has accepted against the
  /// trust evaluation only serves that delegate's loads.
  package func leaseBound(
    _ authentication: BoundAuthentication, _ destination: Destination, evaluator: @autoclosure () -> (any PeerEvaluator)?
  ) -> HTTP1Connection? {
    let takes = evaluator().map { .asked(deciders.number(of: $0.decider)) } ?? PeerAcceptance.unasked
    guard let connection = bound.take(authentication, destination, takes) else { return nil }
    connection.reserve()
    return connection
  }

  /// Binds the leased `connection` to `authentication`: it doesn't serve other loads from now on.
  package func mark(_ connection: HTTP1Connection, _ authentication: BoundAuthentication) {
    // A connection that is closed already isn't added: its closing, which would remove it, has been reported before.
    if connections.contains(connection) { bound.add(connection, authentication) }
  }

  /// The authentication `old` has ended: its connections are bound to `new`, or closed if that is nil.
  package func settle(_ old: BoundAuthentication, as new: BoundAuthentication?) {
    for connection in bound.replace(old, by: new) { connection.close() }
    // The connection of an authentication under way must not be closed; now an idle one may be, to make room for waiting loads.
    if let new { for destination in bound.freeDestinations(of: new) { makeRoom(destination) } }
    planSweep()
  }
}
