#if TestKit
  import Foundation

  /// The body pattern of `Reply.Body.pattern`: the letters a to z over and over. Bytes at the wrong offset are recognized, unless it is off by a
  /// multiple of 26.
  package enum AlphabetPattern {
    private static let piece = 1 << 20
    /// The pattern with 26 letters more than a piece, so that a whole piece can be cut from it at any phase.
    private static let block: Data = {
      var block = Data("abcdefghijklmnopqrstuvwxyz".utf8)
      while block.count < piece + 26 { block += block }
      return block
    }()

    /// Whether `bytes` equal the pattern at `offset`.
    package static func match(_ bytes: Data, at offset: Int) -> Bool {
      var (rest, offset) = (bytes, offset)
      while !rest.isEmpty {
        let part = rest.prefix(piece)
        guard part == block.dropFirst(offset % 26).prefix(part.count) else { return false }
        offset += part.count
        rest = rest.dropFirst(part.count)
      }
      return true
    }

    package static func write(_ count: Int, to file: URL) throws {
      try Data().write(to: file)
      let handle = try FileHandle(forWritingTo: file)
      defer { try? handle.close() }
      for offset in stride(from: 0, to: count, by: piece) {
        try handle.write(contentsOf: block.dropFirst(offset % 26).prefix(min(piece, count - offset)))
      }
    }

    /// Whether `file` contains exactly the first `count` letters of the pattern.
    package static func fill(_ file: URL, count: Int) throws -> Bool {
      let handle = try FileHandle(forReadingFrom: file)
      defer { try? handle.close() }
      var offset = 0
      while let part = try handle.read(upToCount: piece), !part.isEmpty {
        guard match(part, at: offset) else { return false }
        offset += part.count
      }
      return offset == count
    }
  }
#endif
