/// The content codings that this process can decode.
package struct ContentDecoders: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The format of RFC 1952.
  package static let gzip = ContentDecoders(rawValue: 1)
  /// The zlib format of RFC 1950, or the bare deflate format of RFC 1951 that some servers send under this name.
  package static let deflate = ContentDecoders(rawValue: 2)
  /// The format of RFC 7932.
  package static let brotli = ContentDecoders(rawValue: 4)
  /// The format of RFC 8878.
  package static let zstd = ContentDecoders(rawValue: 8)
}
