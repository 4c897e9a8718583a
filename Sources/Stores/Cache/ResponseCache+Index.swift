import Foundation

/// The index of URLs that have stored responses on disk: reads it, and follows the changes of other processes.
extension ResponseCache {
  func openIfDue() {
    let isDue = opening.withLock { opening in
      guard case .due = opening else { return false }
      opening = .begun
      return true
    }
    if isDue { disk?.write { self.readIndex($0) } }
  }

  /// Seconds after which opening a disk that was full is tried again.
  private static let pauseAfterLoss = 10.0

  /// Begins to use a disk again that was too full to be opened.
  ///
  /// Its old content is deleted: what was removed or replaced since isn't known any more.
  func regainDiskIfDue() {
    guard let disk else { return }
    let isDue = opening.withLock { opening in
      guard case .lost(let end) = opening, now() >= end else { return false }
      opening = .due
      return true
    }
    guard isDue else { return }
    disk.tryAgain()
    state.withLock { state in
      guard state.diskCapacity > 0, state.gainDisk() else { return }
      state.enqueue(.removeAll)
    }
  }

  private func loseDisk() {
    state.withLock { $0.loseDisk() }
    guard disk?.failure?.cause == .fullDisk else { return }
    let end = now().addingTimeInterval(ResponseCache.pauseAfterLoss)
    opening.withLock { $0 = .lost(until: end) }
  }

  private func readIndex(_ cache: DiskCache?) {
    guard let cache, let disk else { return loseDisk() }
    disk.threads.later {
      self.reload(cache)
      cache.sweep(turn: Int.random(in: 0..<Int(UInt16.max)), now: self.now())
    }
  }

  private func reload(_ cache: DiskCache) {
    state.withLock { $0.beginReadingIndex() }
    let count = cache.counter.value
    guard let read = try? cache.index() else {
      // Until the next look-up, which has the index read again, the disk is asked for each URL.
      return opening.withLock { $0 = .due }
    }
    state.withLock { state in
      let index = CacheIndex.Hashes(
        hashes: read.hashes.union(state.index.additions), counter: cache.counter, syncedAt: count, sequence: read.sequence)
      state.index = .read(index)
    }
  }

  /// Reads what other processes have changed since the index was read, and forgets outdated responses in memory.
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
