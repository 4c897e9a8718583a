#if TestKit
  import Foundation

  /// Encodes deflate streams out of stored blocks (RFC 1951, 3.2.4): valid for every decoder, though not compressed.
  enum StoredDeflate {
    /// The content as a gzip file (RFC 1952).
    static func gzip(_ content: Data) -> Data {
      var out = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
      appendBlocks(content, to: &out)
      for value in [crc32(content), UInt32(truncatingIfNeeded: content.count)] {
        for shift in [0, 8, 16, 24] as [UInt32] { out.append(UInt8(truncatingIfNeeded: value >> shift)) }
      }
      return out
    }

    /// The content as a raw deflate stream (RFC 1951).
    static func bare(_ content: Data) -> Data {
      var out = Data()
      appendBlocks(content, to: &out)
      return out
    }

    /// The content as a zlib stream (RFC 1950).
    static func zlib(_ content: Data) -> Data {
      var out = Data([0x78, 0x01])
      appendBlocks(content, to: &out)
      let checksum = adler32(content)
      for shift in [24, 16, 8, 0] as [UInt32] { out.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
      return out
    }

    private static func appendBlocks(_ content: Data, to out: inout Data) {
      var rest = content[...]
      repeat {
        let block = rest.prefix(65535)
        rest = rest.dropFirst(block.count)
        let length = UInt16(block.count)
        out.append(rest.isEmpty ? 1 : 0)
        for value in [length, ~length] {
          out.append(UInt8(truncatingIfNeeded: value))
          out.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        out.append(block)
      } while !rest.isEmpty
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
      (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    private static func crc32(_ content: Data) -> UInt32 {
      ~content.reduce(UInt32.max) { value, byte in crcTable[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8) }
    }

    private static func adler32(_ content: Data) -> UInt32 {
      var low: UInt32 = 1
      var high: UInt32 = 0
      for byte in content {
        low = (low + UInt32(byte)) % 65521
        high = (high + low) % 65521
      }
      return high << 16 | low
    }
  }
#endif
