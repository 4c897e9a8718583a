import Foundation

/// Splits the bytes of a connection into messages. A value without a socket.
///
///     +----------------------+------------------+
///     | length, 4 bytes, BE  | JSON, that long  |   1 ... `limit` bytes
///     +----------------------+------------------+
///
/// Holds the bytes of one incomplete message, and no more.
package struct FrameReader: Sendable {
  package static let headerSize = 4
  /// Buffers above this size are freed once they are empty.
  private static let keptCapacity = 256 << 10

  /// Largest message of app and daemon, in bytes.
  package static let maximumMessage = 16 << 20
  private let limit: Int
  private var pending: [UInt8] = []
  /// What was wrong with the bytes; nil if nothing was. All later bytes are ignored, because the next message's beginning isn't known.
  package private(set) var damage: String?

  /// - Parameter limit: Maximum number of bytes of a message.
  package init(limit: Int = FrameReader.maximumMessage) { self.limit = limit }

  /// Bytes of an incomplete message.
  package var heldBytes: Int { pending.count }

  /// Whether no incomplete message is held, so that the stream may end here.
  package var isBetweenMessages: Bool { pending.isEmpty && damage == nil }

  /// Takes the next bytes of the stream.
  /// - Returns: The messages that are complete now, in order, including those before a damaged one.
  package mutating func take(_ bytes: UnsafeRawBufferPointer) -> [Data] {
    guard damage == nil else { return [] }
    pending.append(contentsOf: bytes)
    var messages: [Data] = []
    var start = 0
    // Each round consumes at least a header, so the loop ends.
    while damage == nil, pending.count - start >= FrameReader.headerSize {
      let length = pending[start..<start + FrameReader.headerSize].reduce(0) { $0 << 8 | Int($1) }
      let body = start + FrameReader.headerSize
      guard (1...limit).contains(length) else {
        damage = length == 0 ? "a message is empty" : "a message of \(length) bytes is above the limit of \(limit)"
        break
      }
      guard pending.count - body >= length else { break }
      messages.append(Data(pending[body..<body + length]))
      start = body + length
    }
    if damage != nil || (start == pending.count && pending.capacity > FrameReader.keptCapacity) {
      pending = []
    } else {
      pending.removeFirst(start)
    }
    return messages
  }
}
