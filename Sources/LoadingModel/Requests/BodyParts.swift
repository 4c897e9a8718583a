import Foundation

/// A body put together from data and files, whose length is known before it is sent. It can be read any number of times.
package struct BodyParts: Sendable, Hashable {
  /// Bytes of the body, one behind the other.
  package enum Part: Sendable, Hashable {
    case data(Data)
    /// A whole file, which must be as it was when it became a part.
    case file(path: String, FileFacts)

    package var length: Int64 {
      switch self {
      case .data(let data): Int64(data.count)
      case .file(_, let facts): facts.size
      }
    }

    /// Looks whether a file is what it was when it became a part. Blocks.
    package func checkBlocking() throws(LoadError) {
      guard case .file(let path, let facts) = self else { return }
      guard try FileFacts(path: path) == facts else { throw BodyParts.changed(path) }
    }
  }

  /// Bytes up to which neighbouring data becomes one part.
  private static let joinedLength = 64 * 1024

  package private(set) var parts: [Part] = []
  /// Bytes in all.
  package private(set) var length: Int64 = 0

  package init() {}

  package mutating func append(_ data: Data) {
    length += Int64(data.count)
    guard case .data(var last)? = parts.last, last.count + data.count <= BodyParts.joinedLength else { return parts.append(.data(data)) }
    parts.removeLast()
    last.append(data)
    parts.append(.data(last))
  }

  package mutating func append(path: String, _ facts: FileFacts) {
    parts.append(.file(path: path, facts))
    length += facts.size
  }

  /// What of each part lies within `range` of the body, counted from the part's own beginning; parts without a byte of it are left out.
  package func pieces(in range: Range<Int64>) -> [(part: Part, range: Range<Int64>)] {
    var start: Int64 = 0
    return parts.compactMap { part in
      defer { start += part.length }
      let own = range.clamped(to: start..<start + part.length)
      return own.isEmpty ? nil : (part, own.lowerBound - start..<own.upperBound - start)
    }
  }

  /// The error of a file that isn't what it was when it became a part.
  package static func changed(_ path: String) -> LoadError {
    LoadError(.requestBodyStreamExhausted, .send, "\(path) was changed after it had become a part of the body: put the body together anew")
  }
}
