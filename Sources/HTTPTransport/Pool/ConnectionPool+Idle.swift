import LoadingModel
import NIOCore

// Connections that no load uses: kept for a while, then closed.

extension ConnectionPool {
  /// Closes idle connections and keeps none from now on; those in use close when their exchange ends.
  package func drain() {
    for connection in bound.retireFree() { connection.close() }
    for id in machine.drain() { retire(id) }
    for id in machine.retireShared() { connections.shared[id]?.shutDown() }
    for attempt in attempts.all { attempt.end() }
    alternatives.releaseAll()
    idleSweep.cancel()
  }

  /// Whether `drain` was called, so that no connection is kept.
  package var isDraining: Bool { machine.isDraining }

  /// Closes idle connections, and those in use when their exchanges end, so that later loads open new ones.
  package func closeIdle() {
    for connection in connections.single.values { connection.isRetired = true }
    for connection in bound.retireSpare() { connection.close() }
    for id in machine.evict(idleSince: .max) { retire(id) }
    for id in machine.retireShared() { connections.shared[id]?.shutDown() }
    tickets.removeAll()
    alternatives.opener?.forget()
    identities.removeAll()
  }

  /// Closes the idle connections to one destination: the next load there gets a fresh one.
  package func closeIdle(to destination: Destination) {
    while let connection = bound.retireSpare(to: destination) { connection.close() }
    for id in machine.evict(destination) { retire(id) }
  }

  /// Closes an idle connection.
  private func retire(_ id: Int) {
    // A multiplexed connection stays in the table until it reports that it is closed.
    if let connection = connections.shared[id] { connection.close() } else { connections.removeSingle(id)?.close() }
  }

  func planSweep() {
    guard !idleSweep.isPlanned, let oldest = [machine.oldestIdle, bound.oldestIdle].compactMap(\.self).min() else { return }
    idleSweep.plan(since: oldest) { [weak self] deadline in
      guard let self else { return }
      if let deadline {
        for id in machine.evict(idleSince: deadline) { retire(id) }
        for connection in bound.retireFree(since: deadline) { connection.close() }
      }
      planSweep()
    }
  }
}
