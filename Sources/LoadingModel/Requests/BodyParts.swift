import Foundation

/// A body that consists of data and files, and whose length is known before it is sent. It can be read any number of times.
package struct BodyParts: Sendable, Hashable {
  /// One part of the body's bytes.
  package enum Part: Sendable, Hashable {
    case data(Data)
    /// A whole file, which must not change after it has become a part.
    case file(path: String, FileFacts)

    package var length: Int64 {
      switch self {
      case .data(let data): Int64(data.count)
      case .file(_, let facts): facts.size
      }
    }

    /// Throws if the part is a file that has changed since it became a part. Blocks.
    package func checkBlocking() throws(LoadError) {
      guard case .file(let path, let facts) = self else { return }
      guard try FileFacts(path: path) == facts else { throw BodyParts.changed(path) }
    }
  }

  /// The most bytes of neighbouring data that are joined into one part.
  private static let joinedLength = 64 * 1024

  package private(set) var parts: [Part] = []
  /// The length of the whole body in bytes.
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

  /// The sections of the parts that make up `range` of the body; each range counts from the beginning of its part. Parts outside are left out.
  package func pieces(in range: Range<Int64>) -> [(part: Part, range: Range<Int64>)] {
    var start: Int64 = 0
    return parts.compactMap { part in
      defer { start += part.length }
      let own = range.clamped(to: start..<start + part.length)
      return own.isEmpty ? nil : (part, own.lowerBound - start..<own.upperBound - start)
    }
  }

  /// The error for a file that has changed since it became a part.
  package static func changed(_ path: String) -> LoadError {
    LoadError(.requestBodyStreamExhausted, .send, "\(path) was changed after it had become a part of the body: put the body together anew")
  }
}
