import ProcessMemory

/// A memory map as text: a line for each region, and a table of the sums by kind. Terminals and pipes get the same columns. Pure.
enum MemoryTable {
  private static let kindWidth = 17
  private static let sizeWidth = 7

  /// The regions in the order of their addresses, then the sums by kind.
  static func full(_ map: MemoryMap) -> [String] {
    let width = max(25, map.regions.map { addresses($0.region).count }.max() ?? 0)
    let sizes = ["VSIZE", "RSDNT", "DIRTY", "SWAP"].map { $0.alignedRight(sizeWidth) }.joined()
    let head = "REGION TYPE".alignedLeft(kindWidth) + "   " + "START - END".alignedLeft(width) + " [\(sizes)] PRT  REGION DETAIL"
    return [title(map), "", head] + map.regions.map { line($0, range: width) } + [""] + sums(map)
  }

  /// Only the sums by kind.
  static func summary(_ map: MemoryMap) -> [String] { [title(map), ""] + sums(map) }

  private static func title(_ map: MemoryMap) -> String {
    Printable.text("Process \(map.process) (\(map.name)), \(map.threads) thread\(map.threads == 1 ? "" : "s")")
  }

  private static func addresses(_ region: MemoryRegion) -> String { "\(HexAddress.text(region.start))-\(HexAddress.text(region.end))" }

  private static func line(_ mapped: MappedRegion, range width: Int) -> String {
    let (region, usage) = (mapped.region, mapped.region.usage)
    let sizes = [region.size, usage.resident, usage.dirty, usage.swapped].map { MemorySize.text($0).alignedRight(sizeWidth) }.joined()
    let columns = [
      mapped.kind.rawValue.alignedLeft(kindWidth), " ", addresses(region).alignedLeft(width), "[\(sizes)]",
      "\(region.permissions)".alignedLeft(4), detail(mapped),
    ]
    return trimmed(Printable.text(columns.joined(separator: " ")))
  }

  /// The region's file or its name from the kernel, and what else is known of its use.
  private static func detail(_ mapped: MappedRegion) -> String {
    [mapped.region.name ?? "", mapped.use.text].filter { !$0.isEmpty }.joined(separator: "  ")
  }

  private static func sums(_ map: MemoryMap) -> [String] {
    let rows = map.sums.map { row($0.kind.rawValue, $0.totals) }
    return summaryHead + rows + [separator, row("TOTAL", map.total)] + incompleteness(map)
  }

  private static let summaryHead = [
    trimmed("".alignedLeft(kindWidth) + columns(["VIRTUAL", "RESIDENT", "DIRTY", "SWAPPED", "REGION"])),
    "REGION TYPE".alignedLeft(kindWidth) + columns(["SIZE", "SIZE", "SIZE", "SIZE", "COUNT"]),
    separator,
  ]

  private static let separator =
    "===========".alignedLeft(kindWidth) + columns(["=======", "========", "=====", "=======", "======="])

  private static func row(_ name: String, _ totals: KindTotals) -> String {
    let usage = totals.usage
    let sizes = [totals.size, usage.resident, usage.dirty, usage.swapped].map(MemorySize.text)
    return name.alignedLeft(kindWidth) + columns(sizes + [String(totals.regions)])
  }

  private static func columns(_ texts: [String]) -> String { texts.map { $0.alignedRight(10) }.joined() }

  private static func incompleteness(_ map: MemoryMap) -> [String] {
    map.unreadableLines == 0 ? [] : ["", "\(map.unreadableLines) lines of the kernel's list made no sense and aren't counted."]
  }

  private static func trimmed(_ line: String) -> String {
    var line = line[...]
    while line.last == " " { line.removeLast() }
    return String(line)
  }
}
