/// Which connection serves which waiting load: the pool's decisions, without sockets or time of its own.
///
/// For each origin: idle connections (most recently used last), attempts under way, connections in use, and loads that wait.
/// Each event returns what the pool must do. IDs are the pool's.
package struct PoolMachine<Key: Hashable>: ~Copyable {
  package typealias ConnectionID = Int
  package typealias WaiterID = Int

  package enum Action: Equatable {
    /// Nothing to do now.
    case none
    /// Hand this idle connection to the load that asked.
    case lease(ConnectionID)
    /// Close this idle connection, which the load that asked can't use, and open another in its place.
    case replace(ConnectionID)
    /// Hand this connection to the load that has waited longest.
    case serve(WaiterID, ConnectionID)
    /// Open one more connection.
    case connect
    /// The load's wait ends with the error of the failed attempt; `reconnect` if others still need an attempt.
    case fail(WaiterID, reconnect: Bool)
    /// Keep the connection open, unused.
    case park
    /// Close the connection: it can't be used again.
    case close
    /// End the attempts to this key: nobody waits for them. What becomes of them isn't to be reported.
    case endAttempts
  }

  private final class Lane {
    var idle: [(id: ConnectionID, since: UInt64, acceptance: PeerAcceptance)] = []
    var connecting = 0
    var inUse = 0
    var waiters: [(id: WaiterID, priority: Float, takes: PeerAcceptance)] = []

    var isEmpty: Bool { idle.isEmpty && connecting == 0 && inUse == 0 && waiters.isEmpty }
    var total: Int { idle.count + connecting + inUse }
  }

  // Lanes are objects so that an event costs one look-up; no other value shares them, because the machine isn't copied.
  private var lanes: [Key: Lane] = [:]
  private var latest: (key: Key, lane: Lane)?
  private let limit: Int
  package private(set) var isDraining = false

  /// - Parameter limit: connections per key, at least one.
  package init(limit: Int) {
    self.limit = max(1, limit)
  }

  /// A load wants a connection. `.lease` at once, `.connect`, `.replace` or `.none` after it has been queued as `waiter`.
  ///
  /// - Parameter takes: Only connections whose servers were accepted in one of these ways, or that have none to accept.
  package mutating func request(
    _ key: Key, waiter: WaiterID, priority: Float, takes: PeerAcceptance = .unasked
  ) -> Action {
    let lane = lane(key)
    if let index = lane.idle.lastIndex(where: { takes.contains($0.acceptance) }) {
      lane.inUse += 1
      return .lease(lane.idle.remove(at: index).id)
    }
    let position = lane.waiters.firstIndex { $0.priority < priority } ?? lane.waiters.count
    lane.waiters.insert((waiter, priority, takes), at: position)
    guard lane.connecting < lane.waiters.count else { return .none }
    if lane.total < limit {
      lane.connecting += 1
      return .connect
    }
    // Connections that nobody who waits can use must not keep their places.
    guard !lane.idle.isEmpty else { return .none }
    lane.connecting += 1
    return .replace(lane.idle.removeFirst().id)
  }

  /// An attempt succeeded. The load for which its handshake was made comes before the others.
  package mutating func connected(
    _ key: Key, _ id: ConnectionID, now: UInt64, accepted acceptance: PeerAcceptance = [], for asker: WaiterID? = nil
  ) -> Action {
    let lane = lane(key)
    lane.connecting -= 1
    lane.inUse += 1
    if let asker, let index = lane.waiters.firstIndex(where: { $0.id == asker && $0.takes.contains(acceptance) }) {
      return .serve(lane.waiters.remove(at: index).id, id)
    }
    return offer(lane, id, acceptance, now: now)
  }

  /// An attempt failed: its error goes to the load that has waited longest.
  package mutating func connectFailed(_ key: Key) -> Action {
    guard let lane = lanes[key] else { return .none }
    defer { tidy(key) }
    lane.connecting -= 1
    // A legal race: every waiter left, or was served by another connection, while the attempt was under way.
    guard !lane.waiters.isEmpty else { return .none }
    let waiter = lane.waiters.removeFirst()
    let reconnect = lane.connecting < lane.waiters.count && lane.total < limit
    if reconnect { lane.connecting += 1 }
    return .fail(waiter.id, reconnect: reconnect)
  }

  /// An attempt was ended by the load it was made for, or by that load's app: nobody else's concern. Others get attempts of their own.
  package mutating func refused(_ key: Key, _ waiter: WaiterID?) -> Action {
    guard let lane = lanes[key] else { return .none }
    lane.connecting -= 1
    lane.waiters.removeAll { $0.id == waiter }
    return replenish(key)
  }

  /// The load that is served next.
  package func next(_ key: Key) -> WaiterID? { lanes[key]?.waiters.first?.id }

  /// The loads that wait, the next one first.
  package func line(_ key: Key) -> [WaiterID] { lanes[key]?.waiters.map(\.id) ?? [] }

  /// A load is done with its connection.
  package mutating func released(
    _ key: Key, _ id: ConnectionID, reusable: Bool, now: UInt64, accepted acceptance: PeerAcceptance = []
  ) -> Action {
    let lane = lane(key)
    guard reusable, !isDraining else {
      lane.inUse -= 1
      tidy(key)
      return .close
    }
    return offer(lane, id, acceptance, now: now)
  }

  /// After a `.close`, or when a connection in use died: whether a waiting load needs a new attempt.
  package mutating func replenish(_ key: Key) -> Action {
    guard let lane = lanes[key] else { return .none }
    defer { tidy(key) }
    guard lane.connecting < lane.waiters.count, lane.total < limit else { return .none }
    lane.connecting += 1
    return .connect
  }

  /// A connection in use was closed by the peer or by cancellation.
  package mutating func closedInUse(_ key: Key) -> Action {
    lane(key).inUse -= 1
    return replenish(key)
  }

  /// An idle connection was closed by the peer.
  package mutating func closedIdle(_ key: Key, _ id: ConnectionID) {
    guard let lane = lanes[key] else { return }
    lane.idle.removeAll { $0.id == id }
    tidy(key)
  }

  /// The load no longer waits. With the last one its lane's attempts end: one that a silent server holds up would keep its place for long.
  package mutating func left(_ key: Key, _ waiter: WaiterID) -> Action {
    guard let lane = lanes[key] else { return .none }
    defer { tidy(key) }
    lane.waiters.removeAll { $0.id == waiter }
    guard lane.waiters.isEmpty, lane.connecting > 0 else { return .none }
    lane.connecting = 0
    return .endAttempts
  }

  /// Idle connections unused since before `deadline`: they are forgotten here and must be closed.
  package mutating func evict(idleSince deadline: UInt64) -> [ConnectionID] {
    var evicted: [ConnectionID] = []
    for (key, lane) in lanes {
      evicted += lane.idle.filter { $0.since <= deadline }.map(\.id)
      lane.idle.removeAll { $0.since <= deadline }
      tidy(key)
    }
    return evicted
  }

  /// The idle connections of one key: they are forgotten here and must be closed.
  package mutating func evict(_ key: Key) -> [ConnectionID] {
    guard let lane = lanes[key] else { return [] }
    let evicted = lane.idle.map(\.id)
    lane.idle.removeAll()
    tidy(key)
    return evicted
  }

  /// No connection is kept from now on; returns the idle ones, to be closed.
  package mutating func drain() -> [ConnectionID] {
    isDraining = true
    return evict(idleSince: .max)
  }

  /// The earliest moment at which a connection has been idle since; nil if none is.
  package var oldestIdle: UInt64? { lanes.values.compactMap { $0.idle.map(\.since).min() }.min() }

  package var isEmpty: Bool { lanes.isEmpty }

  package func counts(_ key: Key) -> (idle: Int, connecting: Int, inUse: Int, waiting: Int) {
    guard let lane = lanes[key] else { return (0, 0, 0, 0) }
    return (lane.idle.count, lane.connecting, lane.inUse, lane.waiters.count)
  }

  private mutating func offer(_ lane: Lane, _ id: ConnectionID, _ acceptance: PeerAcceptance, now: UInt64) -> Action {
    if let index = lane.waiters.firstIndex(where: { $0.takes.contains(acceptance) }) {
      return .serve(lane.waiters.remove(at: index).id, id)
    }
    lane.inUse -= 1
    // Whoever waits can't use it and has no attempt: it makes room for one.
    if lane.connecting < lane.waiters.count { return .close }
    guard !isDraining else {
      for (key, other) in lanes where other === lane { tidy(key) }
      return .close
    }
    lane.idle.append((id, now, acceptance))
    return .park
  }

  /// The lane of `key`, made if there is none. The last one asked for needs no hashing.
  private mutating func lane(_ key: Key) -> Lane {
    if let latest, latest.key == key { return latest.lane }
    let lane = lanes[key] ?? Lane()
    lanes[key] = lane
    latest = (key, lane)
    return lane
  }

  /// Forgets a lane in which nothing is left.
  private mutating func tidy(_ key: Key) {
    guard lanes[key]?.isEmpty == true else { return }
    lanes[key] = nil
    latest = nil
  }
}
