// Connections that carry many exchanges at a time.

extension PoolMachine {
  /// An attempt succeeded, with a connection for `free` exchanges at a time.
  ///
  /// - Returns: `.serve` for the load for which its handshake was made, `.park`, or `.close` where there is one like it already. The
  ///   other waiting loads are found by `next`.
  package mutating func connectedShared(
    _ key: Key, _ id: ConnectionID, free: Int, now: UInt64, accepted acceptance: PeerAcceptance = .unneeded, for asker: WaiterID? = nil
  ) -> ConnectionUse {
    let group = group(key)
    group.connecting -= 1
    learn(key, group, .shared)
    // While it drains, a connection is taken for those who wait still.
    let isWanted = !isDraining || !group.waiters.isEmpty
    guard isWanted, !group.shared.contains(where: { $0.acceptance == acceptance }) else {
      tidy(key)
      return .close
    }
    let place = Shared(id, key, acceptance, free: free, idleSince: now)
    shared[id] = place
    group.shared.append(place)
    guard let asker, place.free > 0, group.waiters.leave(asker, for: acceptance) else { return .park }
    place.begin()
    return .serve(asker)
  }

  /// The connection that an attempt would have opened is there already: another key's connection serves this one as well.
  ///
  /// - Returns: Whether it does; not if it takes no new exchanges any more.
  package mutating func adopt(_ key: Key, _ id: ConnectionID) -> Bool {
    guard let place = shared[id], let group = groups[key], !group.shared.contains(where: { $0.acceptance == place.acceptance }) else {
      return false
    }
    group.connecting -= 1
    group.negotiated = .shared
    group.shared.append(place)
    place.keys.append(key)
    return true
  }

  /// Begins one more exchange on a shared connection that has room for it, is `fit`, and whose server was accepted in one of the ways that
  /// the load takes. The load isn't put in line.
  package mutating func joinAtOnce(_ key: Key, takes: PeerAcceptance, where isFit: (ConnectionID) -> Bool) -> ConnectionID? {
    guard let place = groups[key]?.shared.first(where: { $0.free > 0 && takes.contains($0.acceptance) && isFit($0.id) }) else { return nil }
    place.begin()
    return place.id
  }

  /// Whether a shared connection serves this key.
  package func serves(_ id: ConnectionID, _ key: Key) -> Bool { shared[id]?.keys.contains(key) ?? false }

  /// A shared connection has room for `free` exchanges; `isUnused` if it carries none.
  package mutating func gained(_ id: ConnectionID, free: Int, isUnused: Bool, now: UInt64) {
    guard let place = shared[id] else { return }
    place.free = free
    place.idleSince = isUnused ? now : nil
  }

  /// The load that begins next on a shared connection, taken out of the line; nil if there is no room or no load waits.
  package mutating func next(on id: ConnectionID) -> WaiterID? {
    guard let place = shared[id], place.free > 0 else { return nil }
    var best: (key: Key, id: WaiterID, priority: Float)?
    for key in place.keys {
      guard let group = groups[key], !group.waiters.isEmpty, let first = group.waiters.next(for: place.acceptance) else { continue }
      if let best, best.priority > first.priority || (best.priority == first.priority && best.id < first.id) { continue }
      best = (key, first.id, first.priority)
    }
    guard let best else { return nil }
    groups[best.key]?.waiters.leave(best.id)
    place.begin()
    return best.id
  }

  /// A shared connection takes no new exchanges, or is gone. Returns the keys it served: those who wait there may need attempts.
  package mutating func sharedEnded(_ id: ConnectionID) -> [Key] {
    guard let place = shared.removeValue(forKey: id) else { return [] }
    for key in place.keys { withdraw(id, from: key) }
    return place.keys
  }

  /// A shared connection doesn't serve this key any more, though it may serve others.
  package mutating func withdraw(_ id: ConnectionID, from key: Key) {
    groups[key]?.shared.removeAll { $0.id == id }
    shared[id]?.keys.removeAll { $0 == key }
    tidy(key)
  }

  /// The shared connections: they are forgotten here, and must be closed when their exchanges have ended.
  package mutating func retireShared() -> [ConnectionID] {
    let ids = Array(shared.keys)
    for id in ids { _ = sharedEnded(id) }
    return ids
  }
}
