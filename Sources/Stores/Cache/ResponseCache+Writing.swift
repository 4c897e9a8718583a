import Foundation

/// The disk follows: what memory was told is queued and written by one thread, many changes to a transaction.
extension ResponseCache {
  /// Changes made in one transaction.
  private static let changesAtOnce = 64

  /// Changes memory, and has the disk follow with the change that `body` returns.
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

  /// On the writing thread.
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
        // What must happen is tried again with the next change, or when what it concerns is looked up.
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

  /// Returns when the disk has all that was stored and removed so far. Blocks.
  package func flushNow() { disk?.writeNow { drain($0) } }

  /// Returns when the disk has all that was stored and removed so far.
  package nonisolated(nonsending) func flush() async {
    guard let disk else { return }
    await withUnsafeContinuation { continuation in
      disk.write { cache in
        self.drain(cache)
        continuation.resume()
      }
    }
  }

  /// Every response, the one last used first. Blocks.
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
