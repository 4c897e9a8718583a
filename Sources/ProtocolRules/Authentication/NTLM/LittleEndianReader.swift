/// Reads NTLM's little-endian integers and byte strings; nil for a read beyond the end.
struct LittleEndianReader {
  let bytes: [UInt8]

  func slice(at offset: Int, count: Int) -> [UInt8]? {
    guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
    return Array(bytes[offset..<offset + count])
  }

  func uint16(at offset: Int) -> UInt16? {
    slice(at: offset, count: 2).map { UInt16($0[0]) | UInt16($0[1]) << 8 }
  }

  func uint32(at offset: Int) -> UInt32? {
    slice(at: offset, count: 4).map { UInt32($0[0]) | UInt32($0[1]) << 8 | UInt32($0[2]) << 16 | UInt32($0[3]) << 24 }
  }
}

extension FixedWidthInteger {
  /// The bytes, least significant first.
  var littleEndianBytes: [UInt8] { (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) } }
}

extension String {
  /// NTLM's "Unicode" string: UTF-16, least significant byte first, without a byte order mark.
  var utf16LittleEndian: [UInt8] { utf16.flatMap(\.littleEndianBytes) }
}
