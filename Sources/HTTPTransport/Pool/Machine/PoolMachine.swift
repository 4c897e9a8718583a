import LoadingModel

/// Decides which connection serves which waiting load: the pool's logic, without sockets and without reading a clock.
///
/// For each key it has: idle connections (most recently used last), attempts under way, connections in use, multiplexed connections (HTTP/2, HTTP/3),
/// and waiting loads. Each event has a function, whose result tells the pool what to do. The pool assigns the ids.
///
/// If a key's servers may speak HTTP/2, only one attempt is made at first; loads that come meanwhile wait for it, as its connection may serve all.
package struct PoolMachine<Key: Hashable>: ~Copyable {
  package typealias ConnectionID = Int
  package typealias WaiterID = Int

  /// What is known about the protocol of a key's servers.
  package enum NegotiatedProtocol: Sendable {
    /// One exchange at a time on a connection: HTTP/1.
    case single
    /// Not known yet: the first attempt will tell.
    case unknown
    /// Many exchanges on one connection: HTTP/2.
    case shared
    /// Not known, and an attempt to find out has failed: from then on each load gets an attempt of its own.
    case doubtful
  }

  // Groups are objects, so that an event costs one look-up; they aren't shared with a second machine, as the machine can't be copied.
  var groups: [Key: Group] = [:]
  private var latest: Group?
  var shared: [ConnectionID: Shared] = [:]
  /// The protocols that attempts have found, for keys without a group now.
  private var learned = BoundedTable<Key, NegotiatedProtocol>(limit: PoolMachine.learnedLimit)
  private let limit: Int
  package private(set) var isDraining = false

  /// Keys whose servers' protocol is remembered.
  private static var learnedLimit: Int { 1024 }

  /// - Parameter limit: The most HTTP/1.1 connections and attempts per key; at least 1.
  package init(limit: Int) {
    self.limit = max(1, limit)
  }

  /// A load wants a connection. Unless the result is `.lease` or `.join`, it is queued as `waiter`.
  ///
  /// - Parameters:
  /// - takes: The peer acceptances that the load tolerates: it only gets connections whose servers were accepted in these ways, or without TLS.
  /// - negotiated: The protocol that is expected of the key's servers before the first attempt.
  package mutating func request(
    _ key: Key, waiter: WaiterID, priority: Float, takes: PeerAcceptance = .unasked, negotiated: NegotiatedProtocol = .single
  ) -> RequestOutcome {
    let group = group(key, negotiated)
    if let now = PoolMachine.takeNow(group, takes) { return now }
    group.waiters.join(waiter, priority: priority, takes: takes)
    guard group.connecting < group.wantedAttempts else { return .wait }
    if group.total < limit {
      group.connecting += 1
      return .connect
    }
    // The limit is reached, but there are idle connections that the load can't use: one of them is replaced.
    guard !group.idle.isEmpty else { return .wait }
    group.connecting += 1
    return .replace(group.idle.removeFirst().id)
  }

  /// As `request`, but the load isn't queued: `.lease`, `.join`, or nil if neither is possible.
  package mutating func requestAtOnce(_ key: Key, takes: PeerAcceptance = .unasked) -> RequestOutcome? {
    if let latest, latest.key == key { return PoolMachine.takeNow(latest, takes) }
    return groups[key].flatMap { PoolMachine.takeNow($0, takes) }
  }

  private static func takeNow(_ group: Group, _ takes: PeerAcceptance) -> RequestOutcome? {
    if group.shared.first?.isAlternative == true,
      let place = group.shared.first(where: { $0.isAlternative && $0.free > 0 && takes.contains($0.acceptance) })
    {
      place.begin()
      return .join(place.id)
    }
    if let index = group.idle.lastIndex(where: { takes.contains($0.acceptance) }) {
      group.inUse += 1
      return .lease(group.idle.remove(at: index).id)
    }
    if let place = group.shared.first(where: { $0.free > 0 && takes.contains($0.acceptance) }) {
      place.begin()
      return .join(place.id)
    }
    return nil
  }

  /// An attempt has opened an HTTP/1.1 connection. It goes to the load for which its handshake was made, if that still waits, or else to the next.
  /// Afterwards the pool calls `replenish`, as more attempts may be needed now.
  package mutating func connected(
    _ key: Key, _ id: ConnectionID, now: UInt64, accepted acceptance: PeerAcceptance = .unneeded, for asker: WaiterID? = nil
  ) -> ConnectionUse {
    let group = group(key)
    group.connecting -= 1
    group.inUse += 1
    learn(key, group, .single)
    if let asker, group.waiters.leave(asker, for: acceptance) { return .serve(asker) }
    return offer(group, id, acceptance, now: now)
  }

  /// An attempt has failed: its error goes to the load that is next in line, except loads in `spared`, which an attempt over QUIC may still serve.
  /// nil if no load gets it.
  package mutating func connectFailed(_ key: Key, sparing spared: Set<WaiterID> = []) -> FailedAttempt? {
    guard let group = groups[key] else { return nil }
    defer { tidy(key) }
    group.connecting -= 1
    doubt(group)
    // All waiting loads may have left, or been served by other connections, while the attempt was under way: then the error goes to none.
    guard let waiter = group.waiters.popFirst(sparing: spared) else { return nil }
    let reconnect = group.connecting < group.wantedAttempts && group.total < limit
    if reconnect { group.connecting += 1 }
    return FailedAttempt(waiter: waiter, reconnect: reconnect)
  }

  /// An attempt was ended by the load that it was made for, or by that load's app. Other loads don't get its error, but new attempts.
  package mutating func refused(_ key: Key, _ waiter: WaiterID?) -> Supply {
    guard let group = groups[key] else { return .sufficient }
    group.connecting -= 1
    doubt(group)
    if let waiter { group.waiters.leave(waiter) }
    return replenish(key)
  }

  /// An attempt over TCP has ended because an attempt over QUIC, which the machine doesn't count, asks its load's app.
  package mutating func yielded(_ key: Key) {
    groups[key]?.connecting -= 1
    tidy(key)
  }

  /// Whether a new load would have to wait for an HTTP/1.1 connection in use, and none waits already; then pipelining is considered.
  package func isFull(_ key: Key) -> Bool {
    guard let group = groups[key], case .single = group.negotiated else { return false }
    return group.total >= limit && group.idle.isEmpty && group.waiters.isEmpty && group.shared.isEmpty
  }

  /// A waiting load is served by pipelining, on a connection that stays in use. Returns whether it waited and can use such a connection.
  package mutating func served(_ key: Key, _ waiter: WaiterID, for acceptance: PeerAcceptance) -> Bool {
    groups[key]?.waiters.leave(waiter, for: acceptance) ?? false
  }

  /// The next load in the key's line; nil if none waits.
  package func next(_ key: Key) -> WaiterID? { groups[key]?.waiters.first }

  /// The waiting loads of the key, the next one first.
  package func line(_ key: Key) -> [WaiterID] { groups[key]?.waiters.all ?? [] }

  /// The known protocol of the key's servers; nil before the first attempt.
  package func negotiated(of key: Key) -> NegotiatedProtocol? { groups[key]?.negotiated ?? learned[key] }

  /// The exchange of an HTTP/1.1 connection has ended.
  package mutating func released(
    _ key: Key, _ id: ConnectionID, reusable: Bool, now: UInt64, accepted acceptance: PeerAcceptance = .unneeded
  ) -> ConnectionUse {
    let group = group(key)
    guard reusable, !isDraining else {
      group.inUse -= 1
      tidy(key)
      return .close
    }
    return offer(group, id, acceptance, now: now)
  }

  /// Whether a waiting load needs a new attempt, which then counts as begun. Called after a `.close`, when a connection has died, or when an attempt
  /// has shown which protocol the server speaks.
  package mutating func replenish(_ key: Key) -> Supply {
    guard let group = groups[key] else { return .sufficient }
    defer { tidy(key) }
    guard group.connecting < group.wantedAttempts, group.total < limit else { return .sufficient }
    group.connecting += 1
    return .connect
  }

  /// A connection in use was closed by the peer or by cancellation.
  package mutating func closedInUse(_ key: Key) -> Supply {
    group(key).inUse -= 1
    return replenish(key)
  }

  /// An idle connection was closed by the peer.
  package mutating func closedIdle(_ key: Key, _ id: ConnectionID) {
    guard let group = groups[key] else { return }
    group.idle.removeAll { $0.id == id }
    tidy(key)
  }

  /// A load has left the line. With the last one the key's attempts end: a silent server would otherwise occupy places for long.
  ///
  /// - Returns: Whether the pool has to end the attempts to this key, without reporting their errors.
  package mutating func left(_ key: Key, _ waiter: WaiterID) -> Bool {
    groups[key]?.waiters.leave(waiter)
    return relinquish(key)
  }

  /// Forgets the attempts to a key for which no load waits.
  ///
  /// - Returns: Whether the pool has to end them.
  package mutating func relinquish(_ key: Key) -> Bool {
    guard let group = groups[key] else { return false }
    defer { tidy(key) }
    guard group.waiters.isEmpty, group.connecting > 0 else { return false }
    group.connecting = 0
    return true
  }

  /// Removes the connections that have been idle since `deadline` or longer, and returns them: the pool has to close them.
  package mutating func evict(idleSince deadline: UInt64) -> [ConnectionID] {
    var evicted: [ConnectionID] = []
    for (key, group) in groups {
      evicted += group.idle.filter { $0.since <= deadline }.map(\.id)
      group.idle.removeAll { $0.since <= deadline }
      tidy(key)
    }
    let unused = shared.values.filter { $0.idleSince.map { $0 <= deadline } ?? false }.map(\.id)
    for id in unused { _ = sharedEnded(id) }
    return evicted + unused
  }

  /// Removes the idle connections of one key, and returns them: the pool has to close them.
  package mutating func evict(_ key: Key) -> [ConnectionID] {
    guard let group = groups[key] else { return [] }
    let evicted = group.idle.map(\.id)
    group.idle.removeAll()
    let unused = group.shared.filter { $0.idleSince != nil }.map(\.id)
    for id in unused { _ = sharedEnded(id) }
    tidy(key)
    return evicted + unused
  }

  /// From now on no connection is kept. Removes the idle ones and returns them: the pool has to close them.
  package mutating func drain() -> [ConnectionID] {
    isDraining = true
    return evict(idleSince: .max)
  }

  /// The time in nanoseconds since which the longest idle connection has been idle; nil if none is idle.
  package var oldestIdle: UInt64? {
    (groups.values.compactMap { $0.idle.map(\.since).min() } + shared.values.compactMap(\.idleSince)).min()
  }

  package var isEmpty: Bool { groups.isEmpty }

  package func counts(_ key: Key) -> (idle: Int, connecting: Int, inUse: Int, waiting: Int) {
    guard let group = groups[key] else { return (0, 0, 0, 0) }
    return (group.idle.count, group.connecting, group.inUse, group.waiters.count)
  }

  private mutating func offer(_ group: Group, _ id: ConnectionID, _ acceptance: PeerAcceptance, now: UInt64) -> ConnectionUse {
    if !group.waiters.isEmpty, let waiter = group.waiters.popFirst(for: acceptance) { return .serve(waiter) }
    group.inUse -= 1
    // A waiting load can't use the connection and has no attempt: the connection is closed to make room for one.
    if group.connecting < group.wantedAttempts { return .close }
    guard !isDraining else {
      for (key, other) in groups where other === group { tidy(key) }
      return .close
    }
    group.idle.append((id, now, acceptance))
    return .park
  }

  /// The attempt that was to find out the servers' protocol has hung or failed: from now on each load gets an attempt of its own.
  private func doubt(_ group: Group) {
    switch group.negotiated {
    case .unknown, .shared: group.negotiated = .doubtful
    case .single, .doubtful: break
    }
  }

  mutating func learn(_ key: Key, _ group: Group, _ negotiated: NegotiatedProtocol) {
    switch (group.negotiated, negotiated) {
    case (.single, .single), (.shared, .shared): return
    default: break
    }
    group.negotiated = negotiated
    learned[key] = negotiated
  }

  /// The group of `key`, made if there is none. The last one asked for needs no hashing.
  mutating func group(_ key: Key, _ negotiated: NegotiatedProtocol = .single) -> Group {
    if let latest, latest.key == key { return latest }
    let group = groups[key] ?? Group(key, learned[key] ?? negotiated)
    groups[key] = group
    latest = group
    return group
  }

  /// Removes the group of `key` if it is empty.
  mutating func tidy(_ key: Key) {
    guard groups[key]?.isEmpty == true else { return }
    groups[key] = nil
    latest = nil
  }
}
