import Foundation

/// Takes the bytes of a connection apart into messages. A value without a socket.
///
///     +----------------------+------------------+
///     | length, 4 bytes, BE  | JSON, that long  |   1 ... `limit` bytes
///     +----------------------+------------------+
///
/// It keeps what has come of one incomplete message and no more.
package struct FrameReader: Sendable {
  package static let headerSize = 4
  /// The memory of larger messages is given back.
  private static let keptCapacity = 256 << 10

  /// Largest message of app and daemon, in bytes.
  package static let maximumMessage = 16 << 20
  private let limit: Int
  private var pending: [UInt8] = []
  /// What was wrong with the bytes. All that come later are ignored: where messages begin isn't known any longer.
  package private(set) var damage: String?

  /// - Parameter limit: Largest message.
  package init(limit: Int = FrameReader.maximumMessage) { self.limit = limit }

  /// Bytes of an incomplete message.
  package var heldBytes: Int { pending.count }

  /// Whether the stream may end here.
  package var isBetweenMessages: Bool { pending.isEmpty && damage == nil }

  /// Takes bytes as they come.
  /// - Returns: The messages that they complete, in order, also those before a damaged one.
  package mutating func take(_ bytes: UnsafeRawBufferPointer) -> [Data] {
    guard damage == nil else { return [] }
    pending.append(contentsOf: bytes)
    var messages: [Data] = []
    var start = 0
    // Each round consumes a header at least.
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
