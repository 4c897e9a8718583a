#if TestKit
  import Foundation

  /// A JSON document of 40 similar lines, compressed by a real compressor, which the standard routes `/gzip` and `/deflate` send.
  enum CompressedDocument {
    /// The uncompressed length in bytes, and the checksums that gzip (RFC 1952) and zlib (RFC 1950) need.
    private static let length: UInt32 = 1979
    private static let crc32: UInt32 = 0x0F9D1093
    private static let adler32: UInt32 = 0x103FAE53

    /// The document as a raw deflate stream (RFC 1951).
    static let bare = Data(base64Encoded: encoded, options: .ignoreUnknownCharacters) ?? Data()

    /// The document as a gzip file (RFC 1952).
    static let gzip = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 255]) + bare + bytes(crc32.littleEndian) + bytes(length.littleEndian)

    /// The document as a zlib stream (RFC 1950).
    static let zlib = Data([0x78, 0xDA]) + bare + bytes(adler32.bigEndian)

    private static func bytes(_ value: UInt32) -> Data { withUnsafeBytes(of: value) { Data($0) } }

    private static let encoded = """
      ldRLEoIwEEXRraQydmB3+4OtWA4UoqJAMAG/5d4tl3DHfWenXn98FbshhZxD7csxTWHm26YP2ZdbP56Du01NdXWHFB+9O8anu0zdkF28h+T+53b/frk6ntzc
      z1AvsFfYG+wXsF/CfgX7New3sC+oFwamwkKJhRoLRRaqLJRZqLNQaKHSSqUVb5lKK5VWKq1UWqm0Umml0kqljUoblTb8tqm0UWmj0kaljUoblbbC774/
      """
  }
#endif
