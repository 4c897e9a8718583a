import LoadingModel

/// Which connection serves which waiting load: the pool's decisions, without sockets or time of its own.
///
/// For each key: idle connections (most recently used last), attempts under way, connections in use, connections that carry many
/// exchanges at a time (HTTP/2, HTTP/3), and loads that wait. Each event returns what the pool must do, as a result of its own. IDs are the pool's.
///
/// Where a key's servers may speak HTTP/2, one attempt finds out before there are more, and the loads that came meanwhile wait for it:
/// they may all fit on its connection.
package struct PoolMachine<Key: Hashable>: ~Copyable {
  package typealias ConnectionID = Int
  package typealias WaiterID = Int

  /// What is known of a key's servers.
  package enum NegotiatedProtocol: Sendable {
    /// One exchange at a time on a connection: HTTP/1.
    case single
    /// It may be either: the first attempt tells.
    case unknown
    /// Many exchanges on one connection: HTTP/2.
    case shared
    /// It may be either, but an attempt to find out has failed: each load makes an attempt of its own from then on.
    case doubtful
  }

  // Groups are objects so that an event costs one look-up; no other value shares them, because the machine isn't copied.
  var groups: [Key: Group] = [:]
  private var latest: (key: Key, group: Group)?
  var shared: [ConnectionID: Shared] = [:]
  /// What attempts have taught, for keys whose groups are gone.
  private var learned = BoundedTable<Key, NegotiatedProtocol>(limit: PoolMachine.learnedLimit)
  private let limit: Int
  package private(set) var isDraining = false

  /// Keys whose servers' protocol is remembered.
  private static var learnedLimit: Int { 1024 }

  /// - Parameter limit: connections per key that carry one exchange at a time, at least one.
  package init(limit: Int) {
    self.limit = max(1, limit)
  }

  /// A load wants a connection. Unless the answer is `.lease` or `.join`, it has been queued as `waiter`.
  ///
  /// - Parameters:
  ///   - takes: Only connections whose servers were accepted in one of these ways, or that have none to accept.
  ///   - negotiated: What can be expected of the key's servers as long as none has been asked.
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
    // Idle connections that no waiting load can use must not count against the limit.
    guard !group.idle.isEmpty else { return .wait }
    group.connecting += 1
    return .replace(group.idle.removeFirst().id)
  }

  /// As `request`, for a load that isn't queued: `.lease` or `.join`, or nil.
  package mutating func requestAtOnce(_ key: Key, takes: PeerAcceptance = .unasked) -> RequestOutcome? {
    if let latest, latest.key == key { return PoolMachine.takeNow(latest.group, takes) }
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

  /// An attempt succeeded, with a connection for one exchange at a time. The load for which its handshake was made comes before the
  /// others. `replenish` tells afterwards whether there must be more attempts now.
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

  /// An attempt failed: its error goes to the load that has waited longest. nil if no load waits, but for those that may yet be served by an
  /// attempt that the machine doesn't know of.
  package mutating func connectFailed(_ key: Key, sparing spared: Set<WaiterID> = []) -> FailedAttempt? {
    guard let group = groups[key] else { return nil }
    defer { tidy(key) }
    group.connecting -= 1
    doubt(group)
    // A legal race: every waiter left, or was served by another connection, while the attempt was under way.
    guard let waiter = group.waiters.popFirst(sparing: spared) else { return nil }
    let reconnect = group.connecting < group.wantedAttempts && group.total < limit
    if reconnect { group.connecting += 1 }
    return FailedAttempt(waiter: waiter, reconnect: reconnect)
  }

  /// An attempt was ended by the load it was made for, or by that load's app: other loads aren't concerned. Others get attempts of their own.
  package mutating func refused(_ key: Key, _ waiter: WaiterID?) -> Supply {
    guard let group = groups[key] else { return .sufficient }
    group.connecting -= 1
    doubt(group)
    if let waiter { group.waiters.leave(waiter) }
    return replenish(key)
  }

  /// An attempt has ended because its load's app is asked by another attempt, which the machine doesn't know of.
  package mutating func yielded(_ key: Key) {
    groups[key]?.connecting -= 1
    tidy(key)
  }

  /// Whether a load would have to wait for one of the connections in use, and no other load waits.
  package func isFull(_ key: Key) -> Bool {
    guard let group = groups[key], case .single = group.negotiated else { return false }
    return group.total >= limit && group.idle.isEmpty && group.waiters.isEmpty && group.shared.isEmpty
  }

  /// A load that waits is served beside another, on a connection that stays in use.
  package mutating func served(_ key: Key, _ waiter: WaiterID, for acceptance: PeerAcceptance) -> Bool {
    groups[key]?.waiters.leave(waiter, for: acceptance) ?? false
  }

  /// The load that is served next.
  package func next(_ key: Key) -> WaiterID? { groups[key]?.waiters.first }

  /// The loads that wait, the next one first.
  package func line(_ key: Key) -> [WaiterID] { groups[key]?.waiters.all ?? [] }

  /// What is known of the key's servers; nil as long as none has been asked.
  package func negotiated(of key: Key) -> NegotiatedProtocol? { groups[key]?.negotiated ?? learned[key] }

  /// A load is done with its connection.
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

  /// After a `.close`, when a connection died, or when one has shown what its server speaks: whether a waiting load needs a new attempt.
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

  /// The load no longer waits. With the last one its group's attempts end: one that a silent server holds up would keep its place for long.
  ///
  /// - Returns: Whether the attempts to this key must be ended. What becomes of them isn't to be reported.
  package mutating func left(_ key: Key, _ waiter: WaiterID) -> Bool {
    groups[key]?.waiters.leave(waiter)
    return relinquish(key)
  }

  /// Where no load waits, attempts are of no use any more.
  ///
  /// - Returns: As `left`.
  package mutating func relinquish(_ key: Key) -> Bool {
    guard let group = groups[key] else { return false }
    defer { tidy(key) }
    guard group.waiters.isEmpty, group.connecting > 0 else { return false }
    group.connecting = 0
    return true
  }

  /// Idle connections unused since before `deadline`: they are forgotten here and must be closed.
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

  /// The idle connections of one key: they are forgotten here and must be closed.
  package mutating func evict(_ key: Key) -> [ConnectionID] {
    guard let group = groups[key] else { return [] }
    let evicted = group.idle.map(\.id)
    group.idle.removeAll()
    let unused = group.shared.filter { $0.idleSince != nil }.map(\.id)
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
    // The waiting load can't use it and has no attempt: it is closed to make room for one.
    if group.connecting < group.wantedAttempts { return .close }
    guard !isDraining else {
      for (key, other) in groups where other === group { tidy(key) }
      return .close
    }
    group.idle.append((id, now, acceptance))
    return .park
  }

  /// An attempt that hangs or fails must not hold up all loads, one after another.
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
    if let latest, latest.key == key { return latest.group }
    let group = groups[key] ?? Group(learned[key] ?? negotiated)
    groups[key] = group
    latest = (key, group)
    return group
  }

  /// Forgets a group in which nothing is left.
  mutating func tidy(_ key: Key) {
    guard groups[key]?.isEmpty == true else { return }
    groups[key] = nil
    latest = nil
  }
}
