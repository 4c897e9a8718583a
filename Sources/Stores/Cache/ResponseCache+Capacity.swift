import Foundation
import ProtocolRules

/// Limits of memory and disk, and how much of them is used.
extension ResponseCache {
  /// A body larger than this fraction of the memory capacity (one eighth) isn't kept in memory, so that it doesn't displace all the others.
  private static let memoryShare = 8

  package var capacity: Int64 {
    let (memory, disk) = state.withLock { ($0.memoryCapacity, $0.diskCapacity) }
    return Int64(self.disk == nil ? memory : max(memory, disk))
  }

  package var memoryCapacity: Int {
    get { state.withLock { $0.memoryCapacity } }
    set { state.withLock { $0.shrinkMemory(to: max(0, newValue)) } }
  }

  package var diskCapacity: Int {
    get { state.withLock { $0.diskCapacity } }
    set {
      let wasSmaller = state.withLock { state in
        defer { state.diskCapacity = max(0, newValue) }
        return state.diskCapacity < newValue
      }
      guard disk != nil else { return }
      if wasSmaller { return beginDisk() }
      change { $0.index.isNone ? nil : .shrink }
    }
  }

  /// Begins to use a disk whose capacity was 0 so far.
  private func beginDisk() {
    if state.withLock({ $0.gainDisk() }) { opening.withLock { $0 = .due } }
  }

  package var memoryUsage: Int { state.withLock { $0.groups.totalCost } }

  /// Bytes that stored responses take on disk. Blocks.
  package func diskUsageNow() -> Int {
    guard let disk, !state.withLock({ $0.index.isNone }) else { return 0 }
    return disk.writeNow { cache in
      drain(cache)
      return Int(clamping: cache?.bytesUsed ?? 0)
    }
  }

  func limits(policy: Int) -> BodyLimits {
    let (memory, disk) = state.withLock { ($0.memoryCapacity, $0.index.isNone ? 0 : $0.diskCapacity) }
    let kept = memory / ResponseCache.memoryShare
    let largest = policy == 0 && disk > 0 ? StorageRules.largestBody(capacity: Int64(disk)) : Int64(kept)
    return BodyLimits(largest: largest, kept: kept)
  }
}
