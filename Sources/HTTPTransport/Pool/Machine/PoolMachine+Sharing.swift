// Multiplexed connections (HTTP/2, HTTP/3).

extension PoolMachine {
  /// An attempt has opened a multiplexed connection, on which `free` exchanges can begin.
  ///
  /// - Returns: `.serve` for the load for which its handshake was made, `.park`, or `.close` if there is an equivalent connection already. The other
  /// waiting loads are found by `next`.
  package mutating func connectedShared(
    _ key: Key, _ id: ConnectionID, free: Int, now: UInt64, accepted acceptance: PeerAcceptance = .unneeded, isAlternative: Bool = false,
    for asker: WaiterID? = nil
  ) -> ConnectionUse {
    let group = group(key)
    group.connecting -= 1
    learn(key, group, .shared)
    return share(key, group, Shared(id, key, acceptance, isAlternative: isAlternative, free: free, idleSince: now), for: asker)
  }

  /// As `connectedShared`, for an attempt over QUIC, which the machine doesn't count: it tells nothing about the protocol that the key's servers
  /// speak over TCP.
  package mutating func connectedBeside(
    _ key: Key, _ id: ConnectionID, free: Int, now: UInt64, accepted acceptance: PeerAcceptance = .unneeded, for asker: WaiterID? = nil,
    negotiated: NegotiatedProtocol = .unknown
  ) -> ConnectionUse {
    share(
      key, group(key, negotiated), Shared(id, key, acceptance, isAlternative: true, free: free, idleSince: now), for: asker)
  }

  private mutating func share(_ key: Key, _ group: Group, _ place: Shared, for asker: WaiterID?) -> ConnectionUse {
    // While the pool is draining, a connection is only accepted for loads that still wait.
    let isWanted = !isDraining || !group.waiters.isEmpty
    guard isWanted, !group.hasShared(place.acceptance, isAlternative: place.isAlternative) else {
      tidy(key)
      return .close
    }
    shared[place.id] = place
    group.add(place)
    guard let asker, place.free > 0, group.waiters.leave(asker, for: place.acceptance) else { return .park }
    place.begin()
    return .serve(asker)
  }

  /// A connection of another key serves this key as well (coalescing), in place of the connection that an attempt would have opened.
  ///
  /// - Parameter isBeside: Whether the attempt is over QUIC, so that the machine doesn't count it.
  /// - Returns: Whether the connection was accepted; false if it takes no new exchanges any more or an equivalent one is there.
  package mutating func adopt(
    _ key: Key, _ id: ConnectionID, isBeside: Bool = false, negotiated: NegotiatedProtocol = .unknown
  ) -> Bool {
    guard let place = shared[id], let group = isBeside ? group(key, negotiated) : groups[key],
      !group.hasShared(place.acceptance, isAlternative: place.isAlternative)
    else { return false }
    if !isBeside {
      group.connecting -= 1
      group.negotiated = .shared
    }
    group.add(place)
    place.keys.append(key)
    return true
  }

  /// Begins an exchange at once on a multiplexed connection with a free stream that is `fit` and whose peer acceptance the load takes; nil if there
  /// is none. The load isn't queued.
  package mutating func joinAtOnce(_ key: Key, takes: PeerAcceptance, where isFit: (ConnectionID) -> Bool) -> ConnectionID? {
    guard let place = groups[key]?.shared.first(where: { $0.free > 0 && takes.contains($0.acceptance) && isFit($0.id) }) else { return nil }
    place.begin()
    return place.id
  }

  /// Whether a connection of HTTP/3 serves this key.
  package func hasAlternative(_ key: Key) -> Bool { groups[key]?.shared.first?.isAlternative ?? false }

  /// Whether an HTTP/3 connection serves this key whose peer acceptance is among `takes`.
  package func hasAlternative(_ key: Key, for takes: PeerAcceptance) -> Bool {
    groups[key]?.shared.contains { $0.isAlternative && takes.contains($0.acceptance) } ?? false
  }

  /// Whether a shared connection serves this key.
  package func serves(_ id: ConnectionID, _ key: Key) -> Bool { shared[id]?.keys.contains(key) ?? false }

  /// Updates the number of exchanges that can begin on a multiplexed connection; `isUnused` if it has none now.
  package mutating func gained(_ id: ConnectionID, free: Int, isUnused: Bool, now: UInt64) {
    guard let place = shared[id] else { return }
    place.free = free
    place.idleSince = isUnused ? now : nil
  }

  /// Whether a load waits that can use this multiplexed connection once it has a free stream.
  package func isAwaited(_ id: ConnectionID) -> Bool {
    guard let place = shared[id] else { return false }
    return place.keys.contains { groups[$0]?.waiters.next(for: place.acceptance) != nil }
  }

  /// Removes and returns the next load to begin on this multiplexed connection, from the lines of all its keys; nil if no stream is free or no load
  /// waits.
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

  /// A multiplexed connection takes no new exchanges, or is closed. Returns its keys, for whose waiting loads attempts may be needed.
  package mutating func sharedEnded(_ id: ConnectionID) -> [Key] {
    guard let place = shared.removeValue(forKey: id) else { return [] }
    for key in place.keys { withdraw(id, from: key) }
    return place.keys
  }

  /// A shared connection doesn't serve this key any more, though it may serve others.
  package mutating func withdraw(_ id: ConnectionID, from key: Key) {
    groups[key]?.remove(id)
    shared[id]?.keys.removeAll { $0 == key }
    tidy(key)
  }

  /// Removes all multiplexed connections and returns them: the pool has to close them when their exchanges have ended.
  package mutating func retireShared() -> [ConnectionID] {
    let ids = Array(shared.keys)
    for id in ids { _ = sharedEnded(id) }
    return ids
  }
}
