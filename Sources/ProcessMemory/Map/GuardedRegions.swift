/// The pages of a range in order; nil if they aren't known.
typealias PagesOfRange = (_ start: UInt64, _ end: UInt64) -> [PageMap.Run]?

/// Splits regions at the guards in them. Has no side effects.
///
/// From version 2.42 on, glibc marks the pages below a thread's stack as a guard (MADV_GUARD_INSTALL) instead of taking all access to them away.
/// Then the kernel lists adjacent stacks as one region.
enum GuardedRegions {
  /// - Parameter pages: Of the regions' process.
  static func split(_ regions: [MemoryRegion], in pages: PageMap) -> [MemoryRegion] {
    pages.knowsGuards ? split(regions) { pages.runs(from: $0, to: $1) } : regions
  }

  /// The regions, in which a guard is a region without access and without memory in use. What isn't known to have a guard is as it was.
  static func split(_ regions: [MemoryRegion], _ pages: PagesOfRange) -> [MemoryRegion] {
    regions.flatMap { region in
      guard region.isPlainAnonymous, region.permissions.isWritable else { return [region] }
      return split(region, pages) ?? [region]
    }
  }

  /// Pages in a row that are all guards or all none.
  private struct Run {
    let start: UInt64
    let isGuard: Bool
    var present: UInt64 = 0
    var swapped: UInt64 = 0
  }

  private static func split(_ region: MemoryRegion, _ pages: PagesOfRange) -> [MemoryRegion]? {
    guard let pages = pages(region.start, region.end), pages.contains(where: { $0.state.contains(.isGuard) }) else { return nil }
    var runs: [Run] = []
    for pages in pages {
      let isGuard = pages.state.contains(.isGuard)
      if runs.last?.isGuard != isGuard { runs.append(Run(start: pages.start, isGuard: isGuard)) }
      if pages.state.contains(.present) { runs[runs.count - 1].present += pages.pages }
      if pages.state.contains(.swapped) { runs[runs.count - 1].swapped += pages.pages }
    }
    var rest = region.usage
    var (present, swapped) = (runs.reduce(0) { $0 + $1.present }, runs.reduce(0) { $0 + $1.swapped })
    let last = runs.lastIndex { !$0.isGuard }
    return runs.indices.map { index in
      let run = runs[index]
      var part = region
      part.start = run.start
      part.end = index + 1 < runs.count ? runs[index + 1].start : region.end
      if run.isGuard {
        (part.permissions, part.flags, part.usage) = (MemoryRegion.Permissions(), [], MemoryUsage())
      } else {
        // The kernel counts for the whole region: each part has its share by its pages, and the last what is left, so that the sum stays.
        part.usage = index == last ? rest : rest.share(run.present, of: present, swapped: run.swapped, of: swapped)
        rest -= part.usage
        (present, swapped) = (present - run.present, swapped - run.swapped)
      }
      return part
    }
  }
}
