import ProcessMemory

/// The changes between two memory maps as text: a line for each kind of region, with a bar for its resident memory. Pure.
enum MemoryChangeText {
  private static let kindWidth = 17
  private static let columnWidth = 10
  private static let barWidth = 30

  /// - Parameter title: The first line, which says what is compared.
  static func lines(_ change: MemoryChange, title: String) -> [String] {
    let changed = change.rows.filter { !$0.isUnchanged }
    let names = ["VIRTUAL", "RESIDENT", "DIRTY", "SWAPPED", "REGIONS", "RESIDENT"]
    let kinds = ["CHANGE", "CHANGE", "CHANGE", "CHANGE", "CHANGE", "NOW"]
    let head = [
      "".alignedLeft(kindWidth) + columns(names), "REGION TYPE".alignedLeft(kindWidth) + columns(kinds), separator,
    ]
    // All bars have the same scale: the largest change fills the bar's width.
    let largest = changed.map { $0.change(\.usage.resident).magnitude }.max() ?? 0
    let rows = changed.map { line($0, largest: largest) }
    let same = change.rows.count - changed.count
    let unchanged = same == 0 ? [] : ["", "\(same) kind\(same == 1 ? "" : "s") unchanged"]
    let end = (rows.isEmpty ? [] : [separator]) + [line(change.total, largest: 0)] + unchanged
    return [Printable.text(title), ""] + head + rows + end
  }

  private static let separator =
    "===========".alignedLeft(kindWidth) + columns(["=======", "========", "=======", "=======", "=======", "========"])

  private static func line(_ row: MemoryChange.Row, largest: UInt64) -> String {
    let sizes = [row.change(\.size), row.change(\.usage.resident), row.change(\.usage.dirty), row.change(\.usage.swapped)]
    let regions = row.changeOfRegions
    let texts = sizes.map(MemorySize.change) + [regions > 0 ? "+\(regions)" : String(regions), MemorySize.text(row.after.usage.resident)]
    let bar = bar(row.change(\.usage.resident), of: largest)
    return (row.kind?.rawValue ?? "TOTAL").alignedLeft(kindWidth) + columns(texts) + (bar.isEmpty ? "" : "  " + bar)
  }

  /// A bar of "+" for growth or "-" for shrinking; at least one sign for any change.
  static func bar(_ change: Int64, of largest: UInt64) -> String {
    guard change != 0, largest > 0 else { return "" }
    let length = (Double(change.magnitude) / Double(largest) * Double(barWidth)).rounded()
    return String(repeating: change > 0 ? "+" : "-", count: min(barWidth, max(1, Int(length))))
  }

  private static func columns(_ texts: [String]) -> String { texts.map { $0.alignedRight(columnWidth) }.joined() }
}
