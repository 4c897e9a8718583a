/// The content codings this process can undo.
package struct ContentDecoders: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// RFC 1952.
  package static let gzip = ContentDecoders(rawValue: 1)
  /// RFC 1950, or the bare RFC 1951 that some servers mean by it.
  package static let deflate = ContentDecoders(rawValue: 2)
  /// RFC 7932.
  package static let brotli = ContentDecoders(rawValue: 4)
  /// RFC 8878.
  package static let zstd = ContentDecoders(rawValue: 8)
}
