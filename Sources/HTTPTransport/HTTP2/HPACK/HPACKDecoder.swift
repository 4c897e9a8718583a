import LoadingModel
import ProtocolRules

/// Reads field sections that HPACK has compressed (RFC 7541). Every section of a connection must pass through, wanted or not: each may
/// change the table for the next.
struct HPACKDecoder {
  /// The bytes aren't HPACK, or refer to what isn't there: the tables differ from now on, and the connection is lost (RFC 9113, 4.3).
  struct Corruption: Error {}

  /// What this side allows the peer's table (SETTINGS_HEADER_TABLE_SIZE): the protocol's initial value, so nothing need be said.
  static let tableLimit = 4096

  private var table = HPACKDynamicTable<HPACKField>(limit: tableLimit)
  private var recent = RecentFields()
  private let huffman = HuffmanCode.shared

  /// Reads one whole field section.
  mutating func decode(_ block: UnsafeRawBufferPointer, into section: inout FieldSection) throws(Corruption) {
    var input = Input(bytes: block)
    var updates = 0
    while let first = input.peek {
      switch first {
      // 6.1: a field that is in a table.
      case 0x80...: section.add(try field(try input.integer(prefix: 7)))
      // 6.2.1: a literal that enters the table.
      case 0x40...0x7F:
        let literal = try self.literal(&input, prefix: 6)
        table.add(literal, size: literal.size)
        section.add(literal)
      // 6.3: a new limit; only at the beginning, at most the smallest and the last of several (4.2).
      case 0x20...0x3F:
        let limit = try input.integer(prefix: 5)
        updates += 1
        guard limit <= HPACKDecoder.tableLimit, section.isUntouched, updates <= 2 else { throw Corruption() }
        table.setLimit(limit)
      // 6.2.2 and 6.2.3: literals that don't.
      default: section.add(try literal(&input, prefix: 4))
      }
    }
  }

  private func field(_ index: Int) throws(Corruption) -> HPACKField {
    if index >= 1, index <= HPACKStaticTable.count { return HPACKStaticTable.fields[index - 1] }
    guard let field = table[index - HPACKStaticTable.count - 1] else { throw Corruption() }
    return field
  }

  private mutating func literal(_ input: inout Input, prefix: UInt8) throws(Corruption) -> HPACKField {
    let index = try input.integer(prefix: prefix)
    guard index == 0 else {
      let (code, isHuffman) = try input.string()
      if index <= HPACKStaticTable.count, let same = recent.field(index, code, isHuffman) { return same }
      let field = HPACKField(name: try field(index).name, value: try text(code, isHuffman))
      if index <= HPACKStaticTable.count { recent.note(field, index, code, isHuffman) }
      return field
    }
    let (name, isNameHuffman) = try input.string()
    let (value, isValueHuffman) = try input.string()
    return HPACKField(name: try text(name, isNameHuffman), value: try text(value, isValueHuffman))
  }

  private func text(_ code: UnsafeRawBufferPointer, _ isHuffman: Bool) throws(Corruption) -> String {
    guard isHuffman else { return ResponseHeadParser.text(code) }
    let text = withUnsafeTemporaryAllocation(byteCount: HuffmanCode.decodedBound(code.count), alignment: 1) { room -> String? in
      huffman.decode(code, into: room).map { ResponseHeadParser.text(UnsafeRawBufferPointer(rebasing: room[..<$0])) }
    }
    guard let text else { throw Corruption() }
    return text
  }

  /// The rest of a block.
  private struct Input {
    let bytes: UnsafeRawBufferPointer
    var position = 0

    var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func next() throws(Corruption) -> UInt8 {
      guard position < bytes.count else { throw Corruption() }
      defer { position += 1 }
      return bytes[position]
    }

    /// RFC 7541, 5.1.
    mutating func integer(prefix: UInt8) throws(Corruption) -> Int {
      let mask = UInt8(truncatingIfNeeded: 1 << Int(prefix)) &- 1
      var value = Int(try next() & mask)
      if value < Int(mask) { return value }
      var shift = 0
      while true {
        let byte = try next()
        // Nothing in a block is as large as this; more bytes could only be there to overflow.
        guard shift <= 21 else { throw Corruption() }
        value += Int(byte & 0x7F) << shift
        if byte < 0x80 { return value }
        shift += 7
      }
    }

    /// RFC 7541, 5.2.
    mutating func string() throws(Corruption) -> (UnsafeRawBufferPointer, isHuffman: Bool) {
      let isHuffman = (peek ?? 0) & 0x80 != 0
      let length = try integer(prefix: 7)
      guard length <= bytes.count - position else { throw Corruption() }
      defer { position += length }
      return (UnsafeRawBufferPointer(rebasing: bytes[position..<position + length]), isHuffman)
    }
  }
}

/// The last literal under each name of the static table. Many servers spell the same fields out in every response: comparing the code is
/// a fraction of decoding it.
private struct RecentFields {
  private struct Literal {
    let code: [UInt8]
    let isHuffman: Bool
    let field: HPACKField
  }

  private static let longest = 64
  private var literals: [Literal?] = []

  func field(_ index: Int, _ code: UnsafeRawBufferPointer, _ isHuffman: Bool) -> HPACKField? {
    guard index < literals.count, let known = literals[index], known.code.count == code.count, known.isHuffman == isHuffman else {
      return nil
    }
    let isSame = known.code.withUnsafeBytes { known in
      for position in 0..<known.count where known[position] != code[position] { return false }
      return true
    }
    return isSame ? known.field : nil
  }

  mutating func note(_ field: HPACKField, _ index: Int, _ code: UnsafeRawBufferPointer, _ isHuffman: Bool) {
    guard code.count <= RecentFields.longest else { return }
    if literals.isEmpty { literals = [Literal?](repeating: nil, count: HPACKStaticTable.count + 1) }
    literals[index] = Literal(code: Array(code), isHuffman: isHuffman, field: field)
  }
}
