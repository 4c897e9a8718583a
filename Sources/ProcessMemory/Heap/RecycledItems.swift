/// The work items that libdispatch keeps for reuse, in a list per thread (`_dispatch_continuation_free_cacheonly`). They still contain references
/// from their last use, which don't keep anything alive.
///
///     +0 flags  +8 how many items the list has from this one on (32 bits)  +16 the next one  +24 voucher  …
///
/// An item that has just been taken off its list looks the same until it is used. So an item counts as free only if it can be reached from a thread's
/// memory, where the lists begin, through items of a list alone.
struct RecycledItems {
  static let nextOffset: UInt64 = 16
  private static let size: UInt64 = 64
  private static let longestList: UInt32 = 1 << 16

  private struct Item {
    let block: BlockTable.Index
    let count: UInt32
    let next: UInt64
    let place: UInt32
  }

  private(set) var blocks: Set<BlockTable.Index> = []

  /// No recycled items.
  init() {}

  init(_ snapshot: MemorySnapshot, _ scan: ReferenceScan, _ roots: RootSet) {
    var items = RecycledItems.items(snapshot, scan.blocks)
    if items.isEmpty { return }
    // An item that a block other than a list's item refers to is in use.
    let numbers = Set(items.values.map(\.block))
    for block in scan.blocks.indices where !numbers.contains(block) {
      scan.references(from: block) { _, target in
        if numbers.contains(target) { items[scan.blocks.start(target)] = nil }
      }
    }
    for part in roots.parts {
      if case .data = part.holder { continue }
      for run in part.copy.runs where run.start < part.range.upperBound && part.range.lowerBound < run.end {
        let range = max(run.start, part.range.lowerBound)..<min(run.end, part.range.upperBound)
        scan.references(in: range, of: part.copy) { _, block in follow(scan.blocks.start(block), items) }
      }
    }
  }

  private mutating func follow(_ start: UInt64, _ items: [UInt64: Item]) {
    var next = start
    while let item = items[next], blocks.insert(item.block).inserted { next = item.next }
  }

  /// The blocks that look like items of such lists, by their addresses.
  private static func items(_ snapshot: MemorySnapshot, _ table: BlockTable) -> [UInt64: Item] {
    var candidates: [Item] = []
    for block in table.indices where table.size(block) == size {
      guard let count: UInt32 = snapshot.value(at: table.start(block) + 8), count >= 1, count <= longestList,
        let next = snapshot.word(at: table.start(block) + nextOffset),
        let voucher = snapshot.word(at: table.start(block) + 24), voucher == 0 || voucher == .max
      else { continue }
      candidates.append(Item(block: block, count: count, next: next, place: table.places[Int(block)]))
    }
    // The last item of a list has the count 1. An item is accepted if it is the last, or if its next item has been accepted and has a count that is
    // smaller by one.
    var believed: [UInt64: Item] = [:]
    var followed: Set<UInt64> = []
    for item in candidates.sorted(by: { $0.count < $1.count }) {
      if item.count > 1 {
        guard let next = believed[item.next], next.count == item.count - 1, next.place == item.place else { continue }
        followed.insert(item.next)
      } else if item.next != 0 {
        continue
      }
      believed[table.start(item.block)] = item
    }
    // A single item without neighbors could be any block of that size; it is accepted only if it was allocated by libdispatch.
    return believed.filter { start, item in
      item.count > 1 || followed.contains(start) || isDispatch(table.frames(item.block, in: snapshot).first, snapshot)
    }
  }

  private static func isDispatch(_ address: UInt64?, _ snapshot: MemorySnapshot) -> Bool {
    guard let address, let name = snapshot.region(containing: address)?.name?.split(separator: "/").last else { return false }
    return name.hasPrefix("libdispatch.so")
  }
}
