import LoadingModel

/// The buffer that an encoder writes to; its capacity must suffice for the whole field section.
struct HPACKOutput {
  private let room: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init(_ room: UnsafeMutableRawBufferPointer) { self.room = room }

  private mutating func append(_ byte: UInt8) {
    room[count] = byte
    count += 1
  }

  /// Writes an integer with a prefix of `prefix` bits (RFC 7541, 5.1).
  mutating func append(integer value: Int, prefix: UInt8, flags: UInt8) {
    let mask = 1 << Int(prefix) - 1
    guard value >= mask else { return append(flags | UInt8(truncatingIfNeeded: value)) }
    append(flags | UInt8(truncatingIfNeeded: mask))
    var rest = value - mask
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func append(value: String, _ huffman: HuffmanCode) {
    var value = value
    value.withUTF8 { append(string: UnsafeRawBufferPointer($0), huffman) }
  }

  /// RFC 9113, 8.2: "Field names MUST be converted to lowercase when constructing an HTTP/2 message."
  mutating func append(name: String, _ huffman: HuffmanCode) {
    let name = [UInt8](name.utf8.map(\.lowercasedASCII))
    name.withUnsafeBytes { append(string: $0, huffman) }
  }

  /// Writes a string literal (RFC 7541, 5.2), with Huffman code if that is shorter.
  private mutating func append(string: UnsafeRawBufferPointer, _ huffman: HuffmanCode) {
    let length = huffman.encodedLength(string)
    if length < string.count {
      append(integer: length, prefix: 7, flags: 0x80)
      huffman.encode(string, into: UnsafeMutableRawBufferPointer(rebasing: room[count..<count + length]))
      count += length
    } else {
      append(integer: string.count, prefix: 7, flags: 0)
      UnsafeMutableRawBufferPointer(rebasing: room[count..<count + string.count]).copyMemory(from: string)
      count += string.count
    }
  }
}
