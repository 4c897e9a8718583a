#if TestKit
  import Foundation

  /// The letters a to z over and over, as `Reply.Body.pattern` sends them: any part can be told from any other but for a multiple of 26.
  package enum AlphabetPattern {
    private static let piece = 1 << 20
    /// A piece, whichever letter it begins with.
    private static let block: Data = {
      var block = Data("abcdefghijklmnopqrstuvwxyz".utf8)
      while block.count < piece + 26 { block += block }
      return block
    }()

    /// Whether `bytes` are those that belong at `offset`.
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

    /// Whether `file` is `count` letters.
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
