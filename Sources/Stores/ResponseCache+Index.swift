import Foundation

/// What is known of the disk as a whole: which URLs it has anything for, and what other processes have changed there.
extension ResponseCache {
  func openIfDue() {
    let isDue = opening.withLock { opening in
      defer { opening = .begun }
      return opening == .due
    }
    if isDue { disk?.write { self.readIndex($0) } }
  }

  private func readIndex(_ cache: DiskCache?) {
    guard let cache else { return state.withLock { $0.loseDisk() } }
    CacheThreads.later {
      self.reload(cache)
      cache.sweep(turn: Int.random(in: 0..<Int(UInt16.max)), now: self.now())
    }
  }

  private func reload(_ cache: DiskCache) {
    state.withLock { $0.beginReadingIndex() }
    let count = cache.counter.value
    guard let read = try? cache.index() else {
      // The disk is asked meanwhile; the next look-up has the index read again.
      return opening.withLock { $0 = .due }
    }
    state.withLock { state in
      let index = CacheIndex.Hashes(
        hashes: read.hashes.union(state.index.additions), counter: cache.counter, syncedAt: count, sequence: read.sequence)
      state.index = .read(index)
    }
  }

  /// Learns what other processes have changed.
  func synchronise(_ cache: DiskCache) {
    guard let sequence = state.withLock({ $0.index.staleSequence }) else { return }
    let count = cache.counter.value
    guard let news = try? cache.changes(after: sequence) else { return }
    guard let hashes = news.hashes else {
      state.withLock { $0.forgetDisk(nil) }
      return reload(cache)
    }
    state.withLock { state in
      state.forgetDisk(hashes.keys)
      state.index.apply(hashes, sequence: news.sequence, count: count)
    }
  }
}
