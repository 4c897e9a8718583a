import Foundation

/// Writes to the disk what was changed in memory: changes are queued, and one thread writes them, many in one transaction.
extension ResponseCache {
  /// Maximum number of changes in one transaction.
  private static let changesAtOnce = 64

  /// Changes the state in memory, and queues the change that `body` returns for the disk; nil for none.
  func change(_ body: (inout CacheState) -> CacheChange?) {
    openIfDue()
    let isDue = state.withLock { state in
      guard let change = body(&state) else { return false }
      state.enqueue(change)
      guard state.draining == .idle else { return false }
      state.draining = .scheduled
      return true
    }
    if isDue { disk?.write { self.drain($0) } }
  }

  /// Writes all queued changes. Runs on the writing thread.
  func drain(_ cache: DiskCache?) {
    while true {
      let (changes, uses, capacity) = state.withLock { state in
        let taken = state.take(ResponseCache.changesAtOnce)
        if taken.changes.isEmpty { state.draining = .idle }
        return (taken.changes, taken.uses, state.diskCapacity)
      }
      if changes.isEmpty, uses.isEmpty { return }
      guard let cache else {
        CacheDisk.discardBodies(changes)
        state.withLock { $0.settle(changes) }
        continue
      }
      do {
        let outcome = try cache.perform(changes, uses: uses, capacity: Int64(capacity))
        disk?.note(outcome.refusal)
        settle(changes, outcome, cache)
      } catch {
        disk?.note(failed: error)
        // The removals that must still happen stay queued, and are tried again with the next change, or when their URL is looked up.
        CacheDisk.discardBodies(state.withLock { $0.refuse(changes) })
        return
      }
    }
  }

  private func settle(_ changes: [CacheChange], _ outcome: CacheOutcome, _ cache: DiskCache) {
    guard outcome.sequence != outcome.sequenceBefore else { return state.withLock { $0.settle(changes) } }
    let before = cache.counter.bump()
    state.withLock { state in
      state.settle(changes)
      let gone = outcome.gone.filter { !state.isPending($0) }
      state.index.settle(outcome, gone: Array(gone), countBefore: before)
    }
  }

  /// Returns when everything stored and removed so far is on disk, or the disk has refused it. Blocks.
  package func flushNow() { disk?.writeNow { drain($0) } }

  /// Returns when everything stored and removed so far is on disk, or the disk has refused it.
  package nonisolated(nonsending) func flush() async {
    guard let disk else { return }
    await withUnsafeContinuation { continuation in
      disk.write { cache in
        self.drain(cache)
        continuation.resume()
      }
    }
  }

  /// All stored responses, the most recently used first, `limit` at most. Blocks.
  package func listNow(limit: Int) -> [StoredResponse] {
    let own = state.withLock { $0.ownResponses }
    guard let disk, usesDisk else { return Array(own.prefix(limit)) }
    let stored = disk.writeNow { cache in
      drain(cache)
      return (try? cache?.list(limit: limit)) ?? []
    }
    return Array((own + stored).sorted { $0.lastUse > $1.lastUse }.prefix(limit))
  }
}
