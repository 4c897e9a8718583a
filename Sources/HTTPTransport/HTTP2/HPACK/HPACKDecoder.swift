import LoadingModel
import ProtocolRules

/// Decompresses field sections (HPACK, RFC 7541). Every section that the connection receives must be decoded, even for closed streams, as
/// each may change the dynamic table for the next.
struct HPACKDecoder {
  /// The input isn't valid HPACK: the table differs from the peer's from now on, so the connection has to be closed (RFC 9113, 4.3).
  struct Corruption: Error {}

  /// The largest dynamic table that the peer's encoder may use (SETTINGS_HEADER_TABLE_SIZE): the protocol's default, so it isn't announced.
  static let tableLimit = 4096

  private var table = HPACKDynamicTable<HPACKField>(limit: tableLimit)
  private var recent = RecentFields()

  /// Reads one whole field section.
  mutating func decode(_ block: UnsafeRawBufferPointer, into section: inout FieldSection) throws(Corruption) {
    var input = Input(bytes: block)
    var updates = 0
    while let first = input.peek {
      switch first {
      // An indexed field (6.1).
      case 0x80...: section.add(try field(try input.integer(prefix: 7)))
      // A literal field that is added to the dynamic table (6.2.1).
      case 0x40...0x7F:
        let literal = try self.literal(&input, prefix: 6)
        table.add(literal, size: literal.size)
        section.add(literal)
      // A change of the table's size limit (6.3): allowed only at the section's beginning, and at most twice (4.2).
      case 0x20...0x3F:
        let limit = try input.integer(prefix: 5)
        updates += 1
        guard limit <= HPACKDecoder.tableLimit, section.isUntouched, updates <= 2 else { throw Corruption() }
        table.setLimit(limit)
      // A literal field that isn't added to the table (6.2.2 and 6.2.3).
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
      let field = HPACKField(name: try field(index).name, value: try HPACKDecoder.text(code, isHuffman))
      if index <= HPACKStaticTable.count { recent.note(field, index, code, isHuffman) }
      return field
    }
    let (name, isNameHuffman) = try input.string()
    let (value, isValueHuffman) = try input.string()
    return HPACKField(name: try HPACKDecoder.text(name, isNameHuffman), value: try HPACKDecoder.text(value, isValueHuffman))
  }

  // Of the type, because the closure would copy a decoder for each string.
  private static func text(_ code: UnsafeRawBufferPointer, _ isHuffman: Bool) throws(Corruption) -> String {
    guard isHuffman else { return ResponseHeadParser.text(code) }
    let text = withUnsafeTemporaryAllocation(byteCount: HuffmanCode.decodedBound(code.count), alignment: 1) { room -> String? in
      HuffmanCode.shared.decode(code, into: room).map { ResponseHeadParser.text(UnsafeRawBufferPointer(rebasing: room[..<$0])) }
    }
    guard let text else { throw Corruption() }
    return text
  }

  /// The bytes of a field section that haven't been decoded.
  private struct Input {
    let bytes: UnsafeRawBufferPointer
    var position = 0

    var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func next() throws(Corruption) -> UInt8 {
      guard position < bytes.count else { throw Corruption() }
      defer { position += 1 }
      return bytes[position]
    }

    /// Reads an integer with a prefix of `prefix` bits (RFC 7541, 5.1).
    mutating func integer(prefix: UInt8) throws(Corruption) -> Int {
      let mask = UInt8(truncatingIfNeeded: 1 << Int(prefix)) &- 1
      var value = Int(try next() & mask)
      if value < Int(mask) { return value }
      var shift = 0
      while true {
        let byte = try next()
        // A limit against overflow: no valid index or length in a field section needs more bytes.
        guard shift <= 21 else { throw Corruption() }
        value += Int(byte & 0x7F) << shift
        if byte < 0x80 { return value }
        shift += 7
      }
    }

    /// Reads a string literal (RFC 7541, 5.2), without decoding its Huffman code.
    mutating func string() throws(Corruption) -> (UnsafeRawBufferPointer, isHuffman: Bool) {
      let isHuffman = (peek ?? 0) & 0x80 != 0
      let length = try integer(prefix: 7)
      guard length <= bytes.count - position else { throw Corruption() }
      defer { position += length }
      return (UnsafeRawBufferPointer(rebasing: bytes[position..<position + length]), isHuffman)
    }
  }
}

/// Caches the last decoded literal for each name of the static table. Servers repeat many fields in every response, and comparing the encoded
/// bytes is much faster than decoding them.
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
