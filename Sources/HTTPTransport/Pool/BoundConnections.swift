import LoadingModel

/// The bound connections of a pool: they serve only loads that have the authentication.
///
/// The pool's machine counts them as in use. Owned by the pool; confined to its event loop.
package final class BoundConnections {
  private struct Entry {
    let connection: HTTP1Connection
    /// nil: the connection is to be closed when it is free.
    var authentication: BoundAuthentication?
    /// Nanoseconds; nil while it is in use.
    var idleSince: UInt64?
  }

  /// What becomes of a bound connection that is free again.
  enum Fate {
    /// It isn't bound.
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

  /// A free connection to `destination` under `authentication`, which from now on is in use; the one used last.
  func take(_ authentication: BoundAuthentication, _ destination: Destination, _ takes: PeerAcceptance) -> HTTP1Connection? {
    let free = entries.values.filter {
      $0.authentication === authentication && $0.idleSince != nil && $0.connection.destination.leads(to: destination)
        && (!$0.connection.peerAcceptance.isOverridden || takes.contains($0.connection.peerAcceptance))
    }
    guard let latest = free.max(by: { ($0.idleSince ?? 0) < ($1.idleSince ?? 0) }) else { return nil }
    entries[latest.connection.id]?.idleSince = nil
    return latest.connection
  }

  /// The connection on which a request under `old` has just been refused is bound to `new`, unless it is in use or bound to another
  /// meanwhile.
  package func move(_ id: Int, from old: BoundAuthentication, to new: BoundAuthentication) {
    guard let entry = entries[id], entry.authentication === old, entry.idleSince != nil else { return }
    entries[id]?.authentication = new
  }

  /// Makes the connections under `old` another authentication's, in use or not; nil gives them up. Returns those that must be closed now.
  func replace(_ old: BoundAuthentication, by new: BoundAuthentication?) -> [HTTP1Connection] {
    var closing: [HTTP1Connection] = []
    for (id, entry) in entries where entry.authentication === old {
      entries[id]?.authentication = new
      if new == nil, entry.idleSince != nil { closing.append(entry.connection) }
    }
    return retired(closing)
  }

  /// The exchange on `connection` has ended.
  func becameFree(_ connection: HTTP1Connection, now: UInt64, isDraining: Bool) -> Fate {
    guard let entry = entries[connection.id] else { return .unbound }
    guard entry.authentication != nil, connection.isIdle, !isDraining else {
      entries[connection.id] = nil
      return .close
    }
    entries[connection.id]?.idleSince = now
    return .kept
  }

  /// Forgets a connection; whether it was bound.
  func remove(_ id: Int) -> Bool { entries.removeValue(forKey: id) != nil }

  /// Takes out of use the free connections unused since before `deadline`, to be closed. They stay here until they have.
  func retireFree(since deadline: UInt64 = .max) -> [HTTP1Connection] {
    retired(entries.values.filter { ($0.idleSince ?? .max) <= deadline && $0.idleSince != nil }.map(\.connection))
  }

  /// A TLS connection takes its time to close: it must not be leased meanwhile.
  private func retired(_ connections: [HTTP1Connection]) -> [HTTP1Connection] {
    for connection in connections {
      entries[connection.id]?.authentication = nil
      entries[connection.id]?.idleSince = nil
    }
    return connections
  }

  /// Where `authentication` has free connections.
  func freeDestinations(of authentication: BoundAuthentication) -> Set<Destination> {
    Set(entries.values.filter { $0.authentication === authentication && $0.idleSince != nil }.map(\.connection.destination))
  }

  /// Takes a free connection to `destination` that no authentication under way depends on out of use, to be closed; nil if there is none.
  func retireSpare(to destination: Destination) -> HTTP1Connection? {
    let spare = entries.values.first {
      $0.idleSince != nil && $0.authentication?.holder != .handshake && $0.connection.destination.leads(to: destination)
    }
    return spare.map { retired([$0.connection]) }?.first
  }
}

extension ConnectionPool {
  /// A connection that `authentication` has a right to and that is ready; nil if there is none. One whose server a delegate has accepted
  /// against the evaluation is ready for that delegate's loads alone.
  package func leaseBound(
    _ authentication: BoundAuthentication, _ destination: Destination, evaluator: @autoclosure () -> (any PeerEvaluator)?
  ) -> HTTP1Connection? {
    let takes = evaluator().map { .asked(deciders.number(of: $0.decider)) } ?? PeerAcceptance.unasked
    guard let connection = bound.take(authentication, destination, takes) else { return nil }
    connection.reserve()
    return connection
  }

  /// The load that leased `connection` bound it: it won't serve loads without the authentication.
  package func mark(_ connection: HTTP1Connection, _ authentication: BoundAuthentication) {
    // The server may have closed it already; then nothing would ever take it out again.
    if connections.contains(connection) { bound.add(connection, authentication) }
  }

  /// The authentication `old` has ended: its connections are bound to `new`, or are closed.
  package func settle(_ old: BoundAuthentication, as new: BoundAuthentication?) {
    for connection in bound.replace(old, by: new) { connection.close() }
    // The connection of an authentication under way may not be closed; now it may be, to make room.
    if let new { for destination in bound.freeDestinations(of: new) { makeRoom(destination) } }
    planSweep()
  }
}
