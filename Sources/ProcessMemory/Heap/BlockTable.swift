/// The blocks of a program's C heap that were allocated when the snapshot was made, sorted by address. A block is identified by its index.
package struct BlockTable {
  package typealias Index = Int32

  private(set) var starts: [UInt64] = []
  /// The usable size of each block, in bytes: at least the size that the program requested.
  private(set) var usableSizes: [UInt64] = []
  /// The size of each block that the program requested, in bytes.
  private(set) var sizes: [UInt64] = []
  private(set) var places: [UInt32] = []
  /// The address ranges of malloc's heaps. Memory between the blocks there is malloc's own, so it isn't searched for references.
  private(set) var heapRanges: [Range<UInt64>] = []
  private var pages: [PageIndex] = []

  /// An index of one copied range: for each page of it, the first block that begins in the page or after it.
  private struct PageIndex {
    var start: UInt64
    var end: UInt64
    var firsts: [Index]
  }

  private static let pageShift: UInt64 = 12

  package var count: Int { starts.count }
  package var indices: Range<Index> { 0..<Index(starts.count) }

  /// Reads the table from a snapshot, by the record of the preloaded library.
  package init(_ snapshot: MemorySnapshot) {
    var ranges: [Range<UInt64>] = []
    for copy in snapshot.copies where copy.isComplete { addBlocks(in: copy, of: snapshot, &ranges) }
    addHeaps(of: snapshot, &ranges)
    heapRanges = BlockTable.merged(ranges)
    makePages(snapshot)
  }

  func start(_ block: Index) -> UInt64 { starts[Int(block)] }
  func size(_ block: Index) -> UInt64 { sizes[Int(block)] }

  /// The address after the last usable byte of a block.
  func end(_ block: Index) -> UInt64 { starts[Int(block)] + usableSizes[Int(block)] }

  /// The return addresses that were recorded when a block was allocated, the innermost first; empty if none were recorded.
  func frames(_ block: Index, in snapshot: MemorySnapshot) -> [UInt64] {
    let number = UInt64(places[Int(block)])
    let address = snapshot.record.places &+ number * 16
    guard number > 1, number * 16 < snapshot.record.placesSize, let count = snapshot.file.words(address, 1)?.first, count <= 64 else {
      return []
    }
    return (snapshot.file.words(address &+ 8, Int(count)) ?? []).filter { $0 > 0 }
  }

  /// The block that contains an address; nil if there is none.
  func block(containing address: UInt64) -> Index? {
    guard let first = starts.first, address >= first, let page = pageIndex(address) else { return nil }
    let number = Int((address >> BlockTable.pageShift) - (page.start >> BlockTable.pageShift))
    var low = Int(page.firsts[number])
    var high = Int(page.firsts[number + 1])
    // Finds the last block that begins at or before the address, by binary search.
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let found = low - 1
    return address - starts[found] < max(usableSizes[found], 1) ? Index(found) : nil
  }

  private func pageIndex(_ address: UInt64) -> PageIndex? {
    var (low, high) = (0, pages.count)
    while low < high {
      let middle = (low + high) / 2
      if pages[middle].end <= address { low = middle + 1 } else { high = middle }
    }
    return low < pages.count && pages[low].start <= address ? pages[low] : nil
  }
}

extension BlockTable {
  private mutating func addBlocks(in copy: CopiedRegion, of snapshot: MemorySnapshot, _ ranges: inout [Range<UInt64>]) {
    let record = snapshot.record
    var start = copy.start
    while start < copy.end {
      let region = start >> record.regionShift
      let end = min(copy.end, (region + 1) << record.regionShift)
      if let entries = snapshot.entries[region] {
        let base = region << record.regionShift
        let first = entries.start + (start - base) / record.granule * 4
        let last = entries.start + (end - base + record.granule - 1) / record.granule * 4
        for run in entries.runs where run.start < last && first < run.end {
          addBlocks(max(run.start, first)..<min(run.end, last), of: entries, base: base, copy, snapshot, &ranges)
        }
      }
      start = end
    }
  }

  private mutating func addBlocks(
    _ range: Range<UInt64>, of entries: CopiedRegion, base: UInt64, _ copy: CopiedRegion, _ snapshot: MemorySnapshot,
    _ ranges: inout [Range<UInt64>]
  ) {
    let bytes = entries.bytes(from: range.lowerBound, to: range.upperBound)
    let first = (range.lowerBound - entries.start) / 4
    for (index, entry) in bytes.bindMemory(to: UInt32.self).enumerated() where entry != 0 {
      let address = base + (first + UInt64(index)) * snapshot.record.granule
      if copy.contains(address) { add(address, entry: entry, copy, snapshot, &ranges) }
    }
  }

  /// Adds the block at `address`. Its usable size comes from its chunk's header, the word before the block, whose lowest three bits are flags.
  private mutating func add(
    _ address: UInt64, entry: UInt32, _ copy: CopiedRegion, _ snapshot: MemorySnapshot, _ ranges: inout [Range<UInt64>]
  ) {
    guard let header = snapshot.word(at: address - 8) else { return }
    let (length, isMapped, isOfOtherArena) = (header & ~7, header & 2 != 0, header & 4 != 0)
    guard length >= 32 || (length >= 16 && isMapped) else { return }
    let usable = length - (isMapped ? 16 : 8)
    guard address <= copy.end, usable <= copy.end - address else { return }
    let slack = entry & BlockRecord.longestSlack
    starts.append(address)
    usableSizes.append(usable)
    sizes.append(slack < BlockRecord.longestSlack && UInt64(slack) <= usable ? usable - UInt64(slack) : usable)
    places.append(entry >> BlockRecord.slackBits)
    if isMapped {
      ranges.append((address - 16)..<(address + usable))
    } else if !isOfOtherArena, ranges.last?.contains(address) != true, snapshot.region(containing: address)?.name != "[heap]" {
      // malloc's main arena continues in a mapping of its own, because brk(2) couldn't extend `[heap]`.
      ranges.append(copy.start..<copy.end)
    }
  }

  /// Adds the ranges of the main arena's heap and of the heaps of other arenas.
  private func addHeaps(of snapshot: MemorySnapshot, _ ranges: inout [Range<UInt64>]) {
    for copy in snapshot.copies {
      guard let region = snapshot.region(containing: copy.start) else { continue }
      if region.name == "[heap]" { ranges.append(copy.start..<copy.end) }
      guard !region.isFile else { continue }
      var address = (copy.start + MallocLayout.heapSize - 1) & ~(MallocLayout.heapSize - 1)
      while address < copy.end {
        if let heap = MallocLayout.heap(
          at: address,
          { address, count in
            (0..<count).map { snapshot.word(at: address + UInt64($0) * 8) ?? 0 }
          })
        {
          ranges.append(address..<min(copy.end, address + heap.accessible))
        }
        address += MallocLayout.heapSize
      }
    }
  }

  static func merged(_ ranges: [Range<UInt64>]) -> [Range<UInt64>] {
    var merged: [Range<UInt64>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    return merged
  }

  private mutating func makePages(_ snapshot: MemorySnapshot) {
    var next = 0
    for copy in snapshot.copies where copy.isComplete {
      let first = next
      while next < starts.count, starts[next] < copy.end { next += 1 }
      guard next > first else { continue }
      let (low, high) = (copy.start >> BlockTable.pageShift, (copy.end - 1) >> BlockTable.pageShift)
      var firsts: [Index] = []
      firsts.reserveCapacity(Int(high - low) + 2)
      var block = first
      for page in low...(high + 1) {
        while block < next, starts[block] >> BlockTable.pageShift < page { block += 1 }
        firsts.append(Index(block))
      }
      pages.append(PageIndex(start: copy.start, end: copy.end, firsts: firsts))
    }
  }
}
