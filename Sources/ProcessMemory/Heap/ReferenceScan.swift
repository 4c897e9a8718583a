/// Finds the references to blocks in memory: every word that is an address in a block counts for one, whatever it is to the program.
///
/// Swift keeps bits of its own beside addresses. The top byte of a reference may tell the case of an enumeration. The second word of an
/// object whose weak references have been counted is the address of a side table, shifted by three, under two bits that are set.
struct ReferenceScan {
  let blocks: BlockTable
  private let lowest: UInt64
  private let highest: UInt64
  /// Tables beside objects, which weak references refer to: a table knows its object and doesn't keep it.
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

  /// From now on the references of work items that libdispatch keeps for reuse are passed over.
  mutating func ignoreRecycledItems(_ roots: RootSet) { recycled = RecycledItems(snapshot, self, roots) }

  /// The block that a word refers to.
  func target(_ word: UInt64) -> BlockTable.Index? {
    let address = word & ReferenceScan.addressMask
    guard address >= lowest, address < highest else { return nil }
    return blocks.block(containing: address)
  }

  /// Calls `body` with each reference in a range of a copy, and the address of the word.
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

  /// Calls `body` with each reference that a block holds, and its offset in the block.
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

  /// The side table of an object.
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
