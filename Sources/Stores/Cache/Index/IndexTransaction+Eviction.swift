import Foundation

// Removes the least recently used responses when the cache is full.

extension IndexTransaction {
  private static let evictedAtOnce = 64

  /// Evicts the least recently used responses until `size` bytes fit, and a sixteenth of the capacity more, so that evictions are rare.
  mutating func makeRoom(for size: Int64) throws {
    guard try bytesUsed() > capacity - size else { return }
    let target = max(0, capacity - capacity / 16 - size)
    while try bytesUsed() > target {
      let before = outcome.removed.count
      try evictSome(until: target)
      // If nothing could be removed, the sum in `usage` is wrong: it is computed anew, and the loop ends.
      guard outcome.removed.count > before else { return try countAnew() }
    }
  }

  private mutating func evictSome(until target: Int64) throws {
    var excess = try bytesUsed() - target
    var victims: [Int64] = []
    let rows = try Row.fetchCursor(
      database, sql: "SELECT id, size FROM responses ORDER BY used LIMIT \(IndexTransaction.evictedAtOnce)")
    while excess > 0, let row = try rows.next() {
      guard let id = row.value(0, Int64.self) else { continue }
      victims.append(id)
      excess -= max(0, row.value(1) ?? 0)
    }
    guard !victims.isEmpty else { return }
    try remove("id IN (\(victims.map(String.init).joined(separator: ",")))", [])
  }
}
