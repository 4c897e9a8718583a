import LoadingModel
import NIOCore

// Connections that no load uses: kept for a while, then closed.

extension ConnectionPool {
  /// Closes idle connections and keeps none from now on; those in use close when their exchange ends.
  package func drain() {
    for connection in bound.retireFree() { connection.close() }
    for id in machine.drain() { retire(id) }
    for id in machine.retireShared() { shared[id]?.shutDown() }
    for attempt in attempts.values { attempt.end() }
    for race in races.values { release(race) }
    cancelSweep()
  }

  /// No connection is kept any more.
  package var isDraining: Bool { machine.isDraining }

  /// Closes idle connections, so that later loads open new ones.
  package func closeIdle() {
    for connection in bound.retireFree() { connection.close() }
    for id in machine.evict(idleSince: .max) { retire(id) }
    for id in machine.retireShared() { shared[id]?.shutDown() }
    tickets.removeAll()
    opener?.forget()
    identities.removeAll()
  }

  /// Closes the idle connections to one destination: the next load there gets a fresh one.
  package func closeIdle(to destination: Destination) {
    while let connection = bound.retireSpare(to: destination) { connection.close() }
    for id in machine.evict(destination) { retire(id) }
  }

  /// Closes an idle connection.
  private func retire(_ id: Int) {
    // One with many exchanges stays known until it is closed.
    if let connection = shared[id] { connection.close() } else { forget(id)?.close() }
  }

  func planSweep() {
    guard sweepWake == nil, let oldest = [machine.oldestIdle, bound.oldestIdle].compactMap(\.self).min() else { return }
    let deadline = Instant(nanoseconds: oldest).advanced(bySeconds: ConnectionPool.idleLifetime)
    sweepWake = clock.plan(at: deadline) { [weak self] in
      guard let self else { return }
      self.executor.eventLoop.execute { self.sweep() }
    }
  }

  private func cancelSweep() {
    sweepWake?.cancel()
    sweepWake = nil
  }

  private func sweep() {
    sweepWake = nil
    let age = UInt64(ConnectionPool.idleLifetime * 1e9)
    let now = clock.now.nanoseconds
    if now >= age {
      for id in machine.evict(idleSince: now - age) { retire(id) }
      for connection in bound.retireFree(since: now - age) { connection.close() }
    }
    planSweep()
  }
}
