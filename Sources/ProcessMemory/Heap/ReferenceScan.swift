/// Finds references to blocks in memory. Every word that is an address within a block counts as a reference to it, whatever the program uses the word
/// for.
///
/// Swift stores further bits in words with addresses. The top byte of a reference may hold the case of an enumeration. For an object with weak
/// references, the second word is the address of its side table, shifted right by three, with the two highest bits set.
struct ReferenceScan {
  let blocks: BlockTable
  private let lowest: UInt64
  private let highest: UInt64
  /// Swift's side tables, which weak references point to. A side table refers to its object but doesn't keep it alive.
  private(set) var sideTables: Set<BlockTable.Index> = []
  private var recycled = RecycledItems()
  private let snapshot: MemorySnapshot

  private static let addressMask: UInt64 = 0x00FF_FFFF_FFFF_FFFF

  init(_ snapshot: MemorySnapshot, _ blocks: BlockTable) {
    self.snapshot = snapshot
    self.blocks = blocks
    lowest = blocks.starts.first ?? .max
    highest = blocks.indices.last.map(blocks.end) ?? 0
    sideTables = findSideTables()
  }

  /// Makes the scan ignore references of work items that libdispatch keeps for reuse.
  mutating func ignoreRecycledItems(_ roots: RootSet) { recycled = RecycledItems(snapshot, self, roots) }

  /// The block that a word refers to; nil if it refers to none.
  func target(_ word: UInt64) -> BlockTable.Index? {
    let address = word & ReferenceScan.addressMask
    guard address >= lowest, address < highest else { return nil }
    return blocks.block(containing: address)
  }

  /// Calls `body` for each reference in a range of a copy, with the address of the word and the block.
  func references(in range: Range<UInt64>, of copy: CopiedRegion, _ body: (UInt64, BlockTable.Index) -> Void) {
    let first = (range.lowerBound + 7) & ~7
    guard first < range.upperBound else { return }
    let bytes = copy.bytes(from: first, to: range.upperBound)
    var offset = 0
    while offset + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let address = word & ReferenceScan.addressMask
      if address >= lowest, address < highest, let block = blocks.block(containing: address) { body(first + UInt64(offset), block) }
      offset += 8
    }
  }

  /// Calls `body` for each reference that a block contains, with its offset in the block and the target.
  func references(from block: BlockTable.Index, _ body: (UInt64, BlockTable.Index) -> Void) {
    if sideTables.contains(block) { return }
    let start = blocks.start(block)
    if recycled.blocks.contains(block) {
      if let next = snapshot.word(at: start + RecycledItems.nextOffset).flatMap(target) { body(RecycledItems.nextOffset, next) }
      return
    }
    guard let copy = snapshot.copy(containing: start) else { return }
    if let table = sideTable(of: block) { body(8, table) }
    references(in: start..<blocks.end(block), of: copy) { address, target in body(address - start, target) }
  }

  /// The side table of an object, by its second word; nil if it has none.
  private func sideTable(of block: BlockTable.Index) -> BlockTable.Index? {
    guard blocks.size(block) >= 16, let word = snapshot.word(at: blocks.start(block) + 8), word >> 62 == 3 else { return nil }
    let address = word << 3
    guard address >= lowest, address < highest, let table = blocks.block(containing: address), blocks.start(table) == address else {
      return nil
    }
    return snapshot.word(at: address) == blocks.start(block) ? table : nil
  }

  private func findSideTables() -> Set<BlockTable.Index> { Set(blocks.indices.compactMap(sideTable(of:))) }
}
