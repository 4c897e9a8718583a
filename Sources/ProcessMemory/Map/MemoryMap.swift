/// A process's regions at one moment. A value.
package struct MemoryMap: Sendable, Equatable {
  /// The process's number.
  package var process: Int32
  /// The program's name, as the kernel keeps it: 15 bytes at most.
  package var name: String
  /// How many threads the process has.
  package var threads: Int
  /// In the order of their addresses.
  package var regions: [MappedRegion]
  /// How many lines of the kernel's text made no sense; above 0, sums may be too small.
  package var unreadableLines: Int

  package init(process: Int32, name: String, threads: Int, regions: [MappedRegion], unreadableLines: Int = 0) {
    self.process = process
    self.name = name
    self.threads = threads
    self.regions = regions
    self.unreadableLines = unreadableLines
  }

  /// The sums of each kind that occurs, in the order of `RegionKind`.
  package var sums: [KindSum] {
    var sums: [RegionKind: KindSum] = [:]
    for region in regions { sums[region.kind, default: KindSum(kind: region.kind)].add(region.region) }
    return RegionKind.allCases.compactMap { sums[$0] }
  }

  /// The sums of all regions.
  package var total: KindTotals {
    var total = KindTotals()
    for region in regions { total.add(region.region) }
    return total
  }
}

/// Counts of several regions. A value.
package struct KindTotals: Sendable, Equatable {
  /// How many regions there are.
  package var regions = 0
  /// Their lengths together, in bytes, in memory or not.
  package var size: UInt64 = 0
  /// How much of them is in memory, modified and swapped out, in bytes.
  package var usage = MemoryUsage()

  package init() {}

  mutating func add(_ region: MemoryRegion) {
    regions += 1
    size &+= region.size
    usage += region.usage
  }
}

/// The counts of the regions of one kind. A value.
package struct KindSum: Sendable, Equatable {
  package var kind: RegionKind
  package var totals = KindTotals()

  package init(kind: RegionKind, totals: KindTotals = KindTotals()) {
    self.kind = kind
    self.totals = totals
  }

  mutating func add(_ region: MemoryRegion) { totals.add(region) }
}
