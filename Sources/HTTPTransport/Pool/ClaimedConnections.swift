import LoadingModel

/// The claimed connections of a pool: they serve only loads that have the claim.
///
/// The pool's machine counts them as in use. Owned by the pool; confined to its event loop.
final class ClaimedConnections {
  private struct Entry {
    let connection: HTTP1Connection
    /// nil: the connection is to be closed when it is free.
    var claim: ConnectionClaim?
    /// Nanoseconds; nil while it is in use.
    var idleSince: UInt64?
  }

  /// What becomes of a claimed connection that is free again.
  enum Fate {
    /// It isn't claimed.
    case unclaimed
    case kept
    case close
  }

  private var entries: [Int: Entry] = [:]

  var isEmpty: Bool { entries.isEmpty }

  var oldestIdle: UInt64? { entries.values.compactMap(\.idleSince).min() }

  func add(_ connection: HTTP1Connection, _ claim: ConnectionClaim) {
    entries[connection.id] = Entry(connection: connection, claim: claim, idleSince: nil)
  }

  /// A free connection to `destination` under `claim`, which from now on is in use; the one used last.
  func take(_ claim: ConnectionClaim, _ destination: Destination, _ takes: PeerAcceptance) -> HTTP1Connection? {
    let free = entries.values.filter {
      $0.claim === claim && $0.idleSince != nil && $0.connection.destination.leads(to: destination)
        && (!$0.connection.peerAcceptance.isOverridden || takes.contains($0.connection.peerAcceptance))
    }
    guard let latest = free.max(by: { ($0.idleSince ?? 0) < ($1.idleSince ?? 0) }) else { return nil }
    entries[latest.connection.id]?.idleSince = nil
    return latest.connection
  }

  /// Hands over a free connection from one claim to another.
  func move(_ id: Int, from old: ConnectionClaim, to new: ConnectionClaim) {
    guard let entry = entries[id], entry.claim === old, entry.idleSince != nil else { return }
    entries[id]?.claim = new
  }

  /// Makes the connections under `old` another claim's, in use or not; nil gives them up. Returns those that must be closed now.
  func replace(_ old: ConnectionClaim, by new: ConnectionClaim?) -> [HTTP1Connection] {
    var closing: [HTTP1Connection] = []
    for (id, entry) in entries where entry.claim === old {
      entries[id]?.claim = new
      if new == nil, entry.idleSince != nil { closing.append(entry.connection) }
    }
    return retired(closing)
  }

  /// The exchange on `connection` has ended.
  func becameFree(_ connection: HTTP1Connection, now: UInt64, isDraining: Bool) -> Fate {
    guard let entry = entries[connection.id] else { return .unclaimed }
    guard entry.claim != nil, connection.isIdle, !isDraining else {
      entries[connection.id] = nil
      return .close
    }
    entries[connection.id]?.idleSince = now
    return .kept
  }

  /// Forgets a connection; whether it was claimed.
  func remove(_ id: Int) -> Bool { entries.removeValue(forKey: id) != nil }

  /// Takes out of use the free connections unused since before `deadline`, to be closed. They stay here until they have.
  func retireFree(since deadline: UInt64 = .max) -> [HTTP1Connection] {
    retired(entries.values.filter { ($0.idleSince ?? .max) <= deadline && $0.idleSince != nil }.map(\.connection))
  }

  /// A TLS connection takes its time to close: it must not be leased meanwhile.
  private func retired(_ connections: [HTTP1Connection]) -> [HTTP1Connection] {
    for connection in connections {
      entries[connection.id]?.claim = nil
      entries[connection.id]?.idleSince = nil
    }
    return connections
  }

  /// Where `claim` has free connections.
  func freeDestinations(of claim: ConnectionClaim) -> Set<Destination> {
    Set(entries.values.filter { $0.claim === claim && $0.idleSince != nil }.map(\.connection.destination))
  }

  /// Takes a free connection to `destination` that no conversation depends on out of use, to be closed; nil if there is none.
  func retireSpare(to destination: Destination) -> HTTP1Connection? {
    let spare = entries.values.first {
      $0.idleSince != nil && $0.claim?.holder != .conversation && $0.connection.destination.leads(to: destination)
    }
    return spare.map { retired([$0.connection]) }?.first
  }
}

extension ConnectionPool {
  /// A connection that `claim` has a right to and that is ready; nil if there is none. One whose server a delegate has accepted against the
  /// evaluation is ready for that delegate's loads alone.
  package func leaseClaimed(
    _ claim: ConnectionClaim, _ destination: Destination, judge: @autoclosure () -> (any PeerJudge)?
  ) -> HTTP1Connection? {
    let takes = judge().map { .asked(deciders.number(of: $0.decider)) } ?? PeerAcceptance.unasked
    guard let connection = claims.take(claim, destination, takes) else { return nil }
    connection.reserve()
    return connection
  }

  /// The load that leased `connection` claims it: it won't serve loads without the claim.
  package func mark(_ connection: HTTP1Connection, _ claim: ConnectionClaim) {
    // The server may have closed it already; then nothing would ever take it out again.
    if isOpen(connection) { claims.add(connection, claim) }
  }

  /// The connection on which a request under `old` has just been refused becomes one conversation's own, if it isn't another's already.
  package func move(_ connectionID: Int, from old: ConnectionClaim, to new: ConnectionClaim) {
    claims.move(connectionID, from: old, to: new)
  }

  /// The conversation under `old` is over: its connections belong to `new`, or are closed.
  package func settle(_ old: ConnectionClaim, as new: ConnectionClaim?) {
    for connection in claims.replace(old, by: new) { connection.close() }
    // A conversation's connection wasn't to be touched; now it may be closed to make room.
    if let new { for destination in claims.freeDestinations(of: new) { makeRoom(destination) } }
    planSweep()
  }
}
