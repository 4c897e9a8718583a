/// How a process's memory has changed between two moments, by kind. Pure.
package struct MemoryChange: Sendable, Equatable {
  /// One kind, or the total.
  package struct Row: Sendable, Equatable {
    /// nil for the total.
    package var kind: RegionKind?
    package var before: KindTotals
    package var after: KindTotals

    /// Whether none of the counts that are shown differs.
    package var isUnchanged: Bool {
      before.regions == after.regions && before.size == after.size && before.usage.resident == after.usage.resident
        && before.usage.dirty == after.usage.dirty && before.usage.swapped == after.usage.swapped
    }

    /// The change of one count, in bytes.
    package func change(_ count: (KindTotals) -> UInt64) -> Int64 { Int64(clamping: Int128(count(after)) - Int128(count(before))) }
  }

  /// The kinds that occur before or after, in the order of `RegionKind`.
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

  /// A document from outside may name a kind twice.
  private static func table(_ sums: [KindSum]) -> [RegionKind: KindTotals] {
    sums.reduce(into: [:]) { $0[$1.kind, default: KindTotals()] += $1.totals }
  }

  private static func sum(_ sums: [KindSum]) -> KindTotals { sums.reduce(into: KindTotals()) { $0 += $1.totals } }
}

extension KindTotals {
  /// Adds the counts of other regions.
  package static func += (sum: inout KindTotals, part: KindTotals) {
    sum.regions &+= part.regions
    sum.size &+= part.size
    sum.usage += part.usage
  }
}
