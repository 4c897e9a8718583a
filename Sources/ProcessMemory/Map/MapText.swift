/// Parses the text of /proc/PID/smaps, /proc/PID/smaps_rollup or /proc/PID/maps. Has no side effects.
///
///     7f3c1a000000-7f3c1a021000 rw-p 00000000 00:00 0     [name]
///     Rss:                  12 kB
///     VmFlags: rd wr mr mw me nr sd
///
/// The process may run while the kernel writes the text, so a record can be cut. A line that can't be parsed is counted and skipped. A field without
/// its unit is ignored, and so are the fields after an invalid first line of a region, which must not count for the region before.
package struct MapText: Sendable, Equatable {
  /// The regions in the order of the text, which is sorted by address.
  package private(set) var regions: [MemoryRegion] = []
  /// The number of lines that couldn't be parsed.
  package private(set) var unreadableLines = 0

  /// Parses the bytes of a text.
  package init(_ text: some Sequence<UInt8>) {
    let bytes = Array(text)
    // Whether the following fields belong to the last region.
    var takesFields = false
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      switch Line(line) {
      case .region(let region):
        regions.append(region)
        takesFields = true
      case .count(let field, let count):
        if takesFields { regions[regions.endIndex - 1].usage.set(field, bytes: count) }
      case .flags(let flags):
        if takesFields { regions[regions.endIndex - 1].flags = flags }
      case .other: break
      case .unreadable(let beginsRegion):
        unreadableLines += 1
        if beginsRegion { takesFields = false }
      }
    }
  }

  /// Parses a text.
  package init(_ text: String) { self.init(text.utf8) }
}

extension MapText {
  /// The content of one line.
  private enum Line {
    case region(MemoryRegion)
    /// A field with a size; the count is in bytes.
    case count(String, UInt64)
    case flags([String])
    /// A field that isn't a size, such as `THPeligible`.
    case other
    case unreadable(beginsRegion: Bool)

    init(_ line: ArraySlice<UInt8>) {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard let first = words.first else {
        self = .other
        return
      }
      guard first.last == UInt8(ascii: ":") else {
        self = MapText.region(words).map(Line.region) ?? .unreadable(beginsRegion: true)
        return
      }
      let field = String(decoding: first.dropLast(), as: UTF8.self)
      if field == "VmFlags" {
        self = .flags(words.dropFirst().flatMap { $0.split(separator: UInt8(ascii: " ")) }.map { String(decoding: $0, as: UTF8.self) })
      } else if words.count == 3, words[2].elementsEqual("kB".utf8) {
        let (bytes, overflow) = (MapText.number(words[1], radix: 10) ?? .max).multipliedReportingOverflow(by: 1024)
        self = overflow ? .unreadable(beginsRegion: false) : .count(field, bytes)
      } else {
        self = MemoryField.withoutUnit.contains(field) ? .other : .unreadable(beginsRegion: false)
      }
    }
  }

  /// Parses the first line of a region: addresses, permissions, offset, device, inode, name.
  private static func region(_ words: [ArraySlice<UInt8>]) -> MemoryRegion? {
    guard words.count >= 5, let dash = words[0].firstIndex(of: UInt8(ascii: "-")),
      let start = number(words[0][..<dash], radix: 16), let end = number(words[0][(dash + 1)...], radix: 16), start < end,
      let permissions = MemoryRegion.Permissions(words[1]), let offset = number(words[2], radix: 16), words[3].contains(UInt8(ascii: ":")),
      let inode = number(words[4], radix: 10)
    else { return nil }
    var name: String?
    if words.count == 6 {
      // The kernel pads the line with spaces up to the column of the name; a name may contain spaces itself.
      let text = words[5].drop { $0 == UInt8(ascii: " ") }
      if !text.isEmpty { name = String(decoding: text, as: UTF8.self) }
    }
    return MemoryRegion(start: start, end: end, permissions: permissions, offset: offset, inode: inode, name: name)
  }

  /// The number that the digits express; nil if there is a plus sign, if there are no digits, or if it doesn't fit into 64 bits.
  private static func number(_ digits: ArraySlice<UInt8>, radix: Int) -> UInt64? {
    guard let first = digits.first, first != UInt8(ascii: "+") else { return nil }
    return UInt64(String(decoding: digits, as: UTF8.self), radix: radix)
  }
}

/// The names of fields in smaps that are treated specially.
private enum MemoryField {
  /// The fields with a plain number instead of a size in kB.
  static let withoutUnit: Set<String> = ["THPeligible", "ProtectionKey"]
}
