/// The regions of a process at one moment. A value.
package struct MemoryMap: Sendable, Equatable {
  /// The process ID.
  package var process: Int32
  /// The program's name as the kernel keeps it, at most 15 bytes.
  package var name: String
  /// The number of threads.
  package var threads: Int
  /// The regions, sorted by address.
  package var regions: [MappedRegion]
  /// The number of lines of the kernel's text that couldn't be parsed; if it isn't 0, the sums may be too small.
  package var unreadableLines: Int

  package init(process: Int32, name: String, threads: Int, regions: [MappedRegion], unreadableLines: Int = 0) {
    self.process = process
    self.name = name
    self.threads = threads
    self.regions = regions
    self.unreadableLines = unreadableLines
  }

  /// The sums for each kind that occurs, in the order of `RegionKind`.
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

/// Sums over several regions. A value.
package struct KindTotals: Sendable, Equatable {
  /// The number of regions.
  package var regions = 0
  /// The sum of their sizes in bytes, whether in memory or not.
  package var size: UInt64 = 0
  /// The bytes that are in memory, modified or swapped out.
  package var usage = MemoryUsage()

  package init() {}

  mutating func add(_ region: MemoryRegion) {
    regions += 1
    size &+= region.size
    usage += region.usage
  }
}

/// The sums over the regions of one kind. A value.
package struct KindSum: Sendable, Equatable {
  package var kind: RegionKind
  package var totals = KindTotals()

  package init(kind: RegionKind, totals: KindTotals = KindTotals()) {
    self.kind = kind
    self.totals = totals
  }

  mutating func add(_ region: MemoryRegion) { totals.add(region) }
}
