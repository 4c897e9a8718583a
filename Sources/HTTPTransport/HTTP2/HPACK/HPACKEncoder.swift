import LoadingModel

/// Writes the field sections of requests in HPACK (RFC 7541).
///
/// What a session sends is much the same from request to request: a field is first looked for where the last request had it.
struct HPACKEncoder {
  /// What becomes of a field beyond this request.
  enum Indexing {
    /// Enters the table.
    case kept
    /// Another value each time: not worth a place.
    case transient
    /// Never to be put into a table, here or by an intermediary (7.1.3).
    case secret
  }

  private struct Entry {
    let name: String
    let value: String
  }

  /// What the last request had at one place.
  private struct Memory {
    let name: String
    let value: String
    /// The entry's number in the dynamic table.
    let number: Int
  }

  /// More than the protocol's initial size isn't used, whatever the peer allows.
  static let tableLimit = 4096

  private var table = HPACKDynamicTable<Entry>(limit: tableLimit)
  private var memory: [Memory?] = []
  /// The smallest and the last limit of the table that the peer hasn't been told of (4.2).
  private var announcement: (smallest: Int, last: Int)?
  private var place = 0
  private let huffman = HuffmanCode.shared

  /// The peer allows a table of `limit` bytes.
  mutating func allow(tableSize limit: Int) {
    let limit = min(limit, HPACKEncoder.tableLimit)
    guard limit != table.limit else { return }
    table.setLimit(limit)
    announcement = (min(limit, announcement?.smallest ?? limit), limit)
  }

  /// Bytes that a field takes at most.
  static func bound(_ name: String, _ value: String) -> Int { name.utf8.count + value.utf8.count + 16 }
  /// Bytes that `begin` takes at most.
  static let beginningBound = 16

  /// Starts a field section.
  mutating func begin(_ output: inout HPACKOutput) {
    place = 0
    guard let announcement else { return }
    if announcement.smallest < announcement.last { output.append(integer: announcement.smallest, prefix: 5, flags: 0x20) }
    output.append(integer: announcement.last, prefix: 5, flags: 0x20)
    self.announcement = nil
  }

  /// A field that is in the static table with its value.
  func append(static index: Int, _ output: inout HPACKOutput) { output.append(integer: index, prefix: 7, flags: 0x80) }

  /// - Parameter nameIndex: Of the name in the static table, if known.
  mutating func append(_ name: String, _ value: String, _ indexing: Indexing, nameIndex: Int? = nil, _ output: inout HPACKOutput) {
    switch indexing {
    case .kept: appendKept(name, value, nameIndex, &output)
    case .transient: appendLiteral(name, value, nameIndex ?? index(ofName: name), prefix: 4, flags: 0, &output)
    case .secret: appendLiteral(name, value, nameIndex ?? index(ofName: name), prefix: 4, flags: 0x10, &output)
    }
  }

  private mutating func appendKept(_ name: String, _ value: String, _ nameIndex: Int?, _ output: inout HPACKOutput) {
    defer { place += 1 }
    if place < memory.count, let last = memory[place], last.value == value, last.name == name, last.number >= table.added - table.count {
      return output.append(integer: HPACKStaticTable.count + table.added - last.number, prefix: 7, flags: 0x80)
    }
    var sameName: Int?
    for index in 0..<table.count {
      guard let entry = table[index], entry.name.isSameField(name) else { continue }
      if entry.value == value {
        remember(name, value, table.added - 1 - index)
        return output.append(integer: HPACKStaticTable.count + 1 + index, prefix: 7, flags: 0x80)
      }
      sameName = HPACKStaticTable.count + 1 + index
    }
    // A name that has been seen with another value may have a third one next time: that would only drive out what repeats.
    if let sameName { return appendLiteral(name, value, nameIndex ?? sameName, prefix: 4, flags: 0, &output) }
    appendLiteral(name, value, nameIndex ?? HPACKStaticTable.index(of: name), prefix: 6, flags: 0x40, &output)
    table.add(Entry(name: name, value: value), size: name.utf8.count + value.utf8.count + HPACKField.overhead)
    remember(name, value, table.added - 1)
  }

  private mutating func remember(_ name: String, _ value: String, _ number: Int) {
    while memory.count <= place { memory.append(nil) }
    memory[place] = Memory(name: name, value: value, number: number)
  }

  private func index(ofName name: String) -> Int? {
    for index in 0..<table.count where table[index]?.name.isSameField(name) ?? false { return HPACKStaticTable.count + 1 + index }
    return HPACKStaticTable.index(of: name)
  }

  private func appendLiteral(_ name: String, _ value: String, _ nameIndex: Int?, prefix: UInt8, flags: UInt8, _ output: inout HPACKOutput) {
    output.append(integer: nameIndex ?? 0, prefix: prefix, flags: flags)
    if nameIndex == nil { output.append(name: name, huffman) }
    output.append(value: value, huffman)
  }
}
