/// Which connection serves which waiting load: the pool's decisions, without sockets or time of its own.
///
/// For each key: idle connections (most recently used last), attempts under way, connections in use, connections that carry many
/// exchanges at a time (HTTP/2), and loads that wait. Each event returns what the pool must do. IDs are the pool's.
///
/// Where a key's servers may speak HTTP/2, one attempt finds out before there are more, and the loads that came meanwhile wait for it:
/// they may all fit on its connection.
package struct PoolMachine<Key: Hashable>: ~Copyable {
  package typealias ConnectionID = Int
  package typealias WaiterID = Int

  package enum Action: Equatable {
    /// Nothing to do now.
    case none
    /// Hand this idle connection to the load that asked.
    case lease(ConnectionID)
    /// The load that asked begins on this connection, beside the exchanges of others.
    case join(ConnectionID)
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
    /// End the attempts to this key: no load waits for them. What becomes of them isn't to be reported.
    case endAttempts
  }

  /// What is known of a key's servers.
  package enum Speech: Sendable {
    /// One exchange at a time on a connection: HTTP/1.
    case single
    /// It may be either: the first attempt tells.
    case unknown
    /// Many exchanges on one connection: HTTP/2.
    case shared
    /// It may be either, but an attempt to find out has failed: each load makes an attempt of its own from then on.
    case doubtful
  }

  // Lanes are objects so that an event costs one look-up; no other value shares them, because the machine isn't copied.
  var lanes: [Key: Lane] = [:]
  private var latest: (key: Key, lane: Lane)?
  var shared: [ConnectionID: Shared] = [:]
  /// What attempts have taught, for keys whose lanes are gone.
  private var learned: [Key: Speech] = [:]
  private let limit: Int
  package private(set) var isDraining = false

  /// Keys whose servers' speech is remembered.
  private static var learnedLimit: Int { 1024 }

  /// - Parameter limit: connections per key that carry one exchange at a time, at least one.
  package init(limit: Int) {
    self.limit = max(1, limit)
  }

  /// A load wants a connection. `.lease` or `.join` at once; `.connect`, `.replace` or `.none` after it has been queued as `waiter`.
  ///
  /// - Parameters:
  ///   - takes: Only connections whose servers were accepted in one of these ways, or that have none to accept.
  ///   - speech: What can be expected of the key's servers as long as none has been asked.
  package mutating func request(
    _ key: Key, waiter: WaiterID, priority: Float, takes: PeerAcceptance = .unasked, speech: Speech = .single
  ) -> Action {
    let lane = lane(key, speech)
    if let index = lane.idle.lastIndex(where: { takes.contains($0.acceptance) }) {
      lane.inUse += 1
      return .lease(lane.idle.remove(at: index).id)
    }
    if let place = lane.shared.first(where: { $0.free > 0 && takes.contains($0.acceptance) }) {
      place.free -= 1
      place.idleSince = nil
      return .join(place.id)
    }
    lane.waiters.join(waiter, priority: priority, takes: takes)
    guard lane.connecting < lane.wantedAttempts else { return .none }
    if lane.total < limit {
      lane.connecting += 1
      return .connect
    }
    // Idle connections that no waiting load can use must not count against the limit.
    guard !lane.idle.isEmpty else { return .none }
    lane.connecting += 1
    return .replace(lane.idle.removeFirst().id)
  }

  /// An attempt succeeded, with a connection for one exchange at a time. The load for which its handshake was made comes before the
  /// others. `replenish` tells afterwards whether there must be more attempts now.
  package mutating func connected(
    _ key: Key, _ id: ConnectionID, now: UInt64, accepted acceptance: PeerAcceptance = .unneeded, for asker: WaiterID? = nil
  ) -> Action {
    let lane = lane(key)
    lane.connecting -= 1
    lane.inUse += 1
    learn(key, lane, .single)
    if let asker, lane.waiters.leave(asker, for: acceptance) { return .serve(asker, id) }
    return offer(lane, id, acceptance, now: now)
  }

  /// An attempt failed: its error goes to the load that has waited longest.
  package mutating func connectFailed(_ key: Key) -> Action {
    guard let lane = lanes[key] else { return .none }
    defer { tidy(key) }
    lane.connecting -= 1
    doubt(lane)
    // A legal race: every waiter left, or was served by another connection, while the attempt was under way.
    guard let waiter = lane.waiters.popFirst() else { return .none }
    let reconnect = lane.connecting < lane.wantedAttempts && lane.total < limit
    if reconnect { lane.connecting += 1 }
    return .fail(waiter, reconnect: reconnect)
  }

  /// An attempt was ended by the load it was made for, or by that load's app: other loads aren't concerned. Others get attempts of their own.
  package mutating func refused(_ key: Key, _ waiter: WaiterID?) -> Action {
    guard let lane = lanes[key] else { return .none }
    lane.connecting -= 1
    doubt(lane)
    if let waiter { lane.waiters.leave(waiter) }
    return replenish(key)
  }

  /// Whether a load would have to wait for one of the connections in use, and no other load waits.
  package func isFull(_ key: Key) -> Bool {
    guard let lane = lanes[key], case .single = lane.speech else { return false }
    return lane.total >= limit && lane.idle.isEmpty && lane.waiters.isEmpty
  }

  /// A load that waits is served beside another, on a connection that stays in use.
  package mutating func served(_ key: Key, _ waiter: WaiterID, for acceptance: PeerAcceptance) -> Bool {
    lanes[key]?.waiters.leave(waiter, for: acceptance) ?? false
  }

  /// The load that is served next.
  package func next(_ key: Key) -> WaiterID? { lanes[key]?.waiters.first }

  /// The loads that wait, the next one first.
  package func line(_ key: Key) -> [WaiterID] { lanes[key]?.waiters.all ?? [] }

  /// What is known of the key's servers; nil as long as none has been asked.
  package func speech(of key: Key) -> Speech? { lanes[key]?.speech ?? learned[key] }

  /// A load is done with its connection.
  package mutating func released(
    _ key: Key, _ id: ConnectionID, reusable: Bool, now: UInt64, accepted acceptance: PeerAcceptance = .unneeded
  ) -> Action {
    let lane = lane(key)
    guard reusable, !isDraining else {
      lane.inUse -= 1
      tidy(key)
      return .close
    }
    return offer(lane, id, acceptance, now: now)
  }

  /// After a `.close`, when a connection died, or when one has shown what its server speaks: whether a waiting load needs a new attempt.
  package mutating func replenish(_ key: Key) -> Action {
    guard let lane = lanes[key] else { return .none }
    defer { tidy(key) }
    guard lane.connecting < lane.wantedAttempts, lane.total < limit else { return .none }
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
    lane.waiters.leave(waiter)
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
    let unused = shared.values.filter { $0.idleSince.map { $0 <= deadline } ?? false }.map(\.id)
    for id in unused { _ = sharedEnded(id) }
    return evicted + unused
  }

  /// The idle connections of one key: they are forgotten here and must be closed.
  package mutating func evict(_ key: Key) -> [ConnectionID] {
    guard let lane = lanes[key] else { return [] }
    let evicted = lane.idle.map(\.id)
    lane.idle.removeAll()
    let unused = lane.shared.filter { $0.idleSince != nil }.map(\.id)
    for id in unused { _ = sharedEnded(id) }
    tidy(key)
    return evicted + unused
  }

  /// No connection is kept from now on; returns the idle ones, to be closed.
  package mutating func drain() -> [ConnectionID] {
    isDraining = true
    return evict(idleSince: .max)
  }

  /// The earliest moment at which a connection has been idle since; nil if none is.
  package var oldestIdle: UInt64? {
    (lanes.values.compactMap { $0.idle.map(\.since).min() } + shared.values.compactMap(\.idleSince)).min()
  }

  package var isEmpty: Bool { lanes.isEmpty }

  package func counts(_ key: Key) -> (idle: Int, connecting: Int, inUse: Int, waiting: Int) {
    guard let lane = lanes[key] else { return (0, 0, 0, 0) }
    return (lane.idle.count, lane.connecting, lane.inUse, lane.waiters.count)
  }

  private mutating func offer(_ lane: Lane, _ id: ConnectionID, _ acceptance: PeerAcceptance, now: UInt64) -> Action {
    if !lane.waiters.isEmpty, let waiter = lane.waiters.popFirst(for: acceptance) { return .serve(waiter, id) }
    lane.inUse -= 1
    // The waiting load can't use it and has no attempt: it is closed to make room for one.
    if lane.connecting < lane.wantedAttempts { return .close }
    guard !isDraining else {
      for (key, other) in lanes where other === lane { tidy(key) }
      return .close
    }
    lane.idle.append((id, now, acceptance))
    return .park
  }

  /// An attempt that hangs or fails must not hold up all loads, one after another.
  private func doubt(_ lane: Lane) {
    switch lane.speech {
    case .unknown, .shared: lane.speech = .doubtful
    case .single, .doubtful: break
    }
  }

  mutating func learn(_ key: Key, _ lane: Lane, _ speech: Speech) {
    switch (lane.speech, speech) {
    case (.single, .single), (.shared, .shared): return
    default: break
    }
    lane.speech = speech
    if learned.count >= PoolMachine.learnedLimit { learned.removeAll() }
    learned[key] = speech
  }

  /// The lane of `key`, made if there is none. The last one asked for needs no hashing.
  mutating func lane(_ key: Key, _ speech: Speech = .single) -> Lane {
    if let latest, latest.key == key { return latest.lane }
    let lane = lanes[key] ?? Lane(learned[key] ?? speech)
    lanes[key] = lane
    latest = (key, lane)
    return lane
  }

  /// Forgets a lane in which nothing is left.
  mutating func tidy(_ key: Key) {
    guard lanes[key]?.isEmpty == true else { return }
    lanes[key] = nil
    latest = nil
  }
}
