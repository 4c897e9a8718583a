/// The change of a process's memory between two moments, for each kind of region. Has no side effects.
package struct MemoryChange: Sendable, Equatable {
  /// The counts of one kind, or of all regions, before and after.
  package struct Row: Sendable, Equatable {
    /// The kind of region; nil for the total.
    package var kind: RegionKind?
    package var before: KindTotals
    package var after: KindTotals

    /// Whether all counts that a comparison shows are equal before and after.
    package var isUnchanged: Bool {
      before.regions == after.regions && before.size == after.size && before.usage.resident == after.usage.resident
        && before.usage.dirty == after.usage.dirty && before.usage.swapped == after.usage.swapped
    }

    /// The difference of one count, after minus before.
    package func change(_ count: (KindTotals) -> UInt64) -> Int64 { Int64(clamping: Int128(count(after)) - Int128(count(before))) }

    /// The difference of the numbers of regions, after minus before; limited, because a number that comes from a file may be any.
    package var changeOfRegions: Int { Int(clamping: Int128(after.regions) - Int128(before.regions)) }
  }

  /// The rows of the kinds that occur before or after, in the order of `RegionKind`.
  package let rows: [Row]
  package let total: Row

  package init(from before: [KindSum], to after: [KindSum]) {
    let (old, new) = (MemoryChange.table(before), MemoryChange.table(after))
    rows = RegionKind.allCases.compactMap { kind in
      guard old[kind] != nil || new[kind] != nil else { return nil }
      return Row(kind: kind, before: old[kind] ?? KindTotals(), after: new[kind] ?? KindTotals())
    }
    total = Row(kind: nil, before: MemoryChange.sum(before), after: MemoryChange.sum(after))
  }

  /// The sums by kind. The counts of a kind that occurs twice, as it may in a document from a file, are added.
  private static func table(_ sums: [KindSum]) -> [RegionKind: KindTotals] {
    sums.reduce(into: [:]) { $0[$1.kind, default: KindTotals()] += $1.totals }
  }

  private static func sum(_ sums: [KindSum]) -> KindTotals { sums.reduce(into: KindTotals()) { $0 += $1.totals } }
}

extension KindTotals {
  /// Adds the counts of further regions.
  package static func += (sum: inout KindTotals, part: KindTotals) {
    sum.regions &+= part.regions
    sum.size &+= part.size
    sum.usage += part.usage
  }
}
