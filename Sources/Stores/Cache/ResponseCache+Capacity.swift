import Foundation
import ProtocolRules

/// How much memory and disk may be used, and is.
extension ResponseCache {
  /// A body larger than this part of the memory isn't kept in it: one must not push out all the others.
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

  /// A disk that wasn't used from the start.
  private func beginDisk() {
    if state.withLock({ $0.gainDisk() }) { opening.withLock { $0 = .due } }
  }

  package var memoryUsage: Int { state.withLock { $0.groups.totalCost } }

  /// Bytes of disk in use. Blocks.
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
