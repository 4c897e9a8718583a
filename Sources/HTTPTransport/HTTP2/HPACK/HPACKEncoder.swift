import LoadingModel

/// Compresses the field sections of requests (HPACK, RFC 7541).
///
/// A session's requests have mostly the same fields in the same order: each field is first compared with the one at its place in the last request.
struct HPACKEncoder {
  /// How a field is treated in the dynamic table.
  enum Indexing {
    /// The field is added to the dynamic table and referred to later.
    case kept
    /// The field isn't added, as its value differs in each request.
    case transient
    /// The field is marked never-indexed, so that intermediaries don't add it to their tables either (7.1.3).
    case secret
  }

  private struct Entry {
    let name: String
    let value: String
  }

  /// The field that the last request had at one place of the section.
  private struct Memory {
    let name: String
    let value: String
    /// The number of the field's entry in the dynamic table.
    let number: Int
  }

  /// The most bytes of the dynamic table: the protocol's default, even if the peer allows more.
  static let tableLimit = 4096

  private var table = HPACKDynamicTable<Entry>(limit: tableLimit)
  private var memory: [Memory?] = []
  /// The smallest and the latest of the table limits that have been set and not yet been announced to the peer (4.2); nil if none.
  private var announcement: (smallest: Int, last: Int)?
  private var place = 0
  private let huffman = HuffmanCode.shared

  /// Applies the peer's limit for the table (SETTINGS_HEADER_TABLE_SIZE), in bytes.
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

  /// Writes a field that the static table contains with its value.
  func append(static index: Int, _ output: inout HPACKOutput) { output.append(integer: index, prefix: 7, flags: 0x80) }

  /// Writes a field.
  /// - Parameter nameIndex: The name's index in the static table; nil to search for it.
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
    // A name that the table has with another value will probably have a new value each time: adding it would evict fields that repeat.
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
