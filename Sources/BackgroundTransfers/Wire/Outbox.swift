import Foundation

/// Bytes that wait to be sent, in order. A value without a socket.
struct Outbox: Sendable {
  /// Small messages are sent together, up to so many bytes.
  private static let pieceSize = 64 << 10

  private let limit: Int
  private var pieces: [Data] = []
  /// Bytes of the first piece that are sent.
  private var offset = 0
  private(set) var count = 0
  /// Bytes that have been sent since the beginning.
  private(set) var left = 0

  /// - Parameter limit: How many bytes may wait.
  init(limit: Int = MessageLink.maximumUnsent) { self.limit = limit }

  /// - Returns: Whether there was room.
  mutating func add(_ frame: Data) -> Bool {
    guard frame.count <= limit - count else { return false }
    count += frame.count
    if let last = pieces.indices.last, pieces[last].count + frame.count <= Outbox.pieceSize {
      pieces[last].append(frame)
    } else {
      pieces.append(frame)
    }
    return true
  }

  /// What is sent next.
  var next: Data? { pieces.first.map { $0.dropFirst(offset) } }

  /// So many bytes of `next` are sent.
  mutating func sent(_ bytes: Int) {
    guard let first = pieces.first else { return }
    count -= bytes
    left += bytes
    offset += bytes
    guard offset >= first.count else { return }
    pieces.removeFirst()
    offset = 0
  }

  /// What `left` is when all that waits now has been sent.
  var end: Int { left + count }

  /// Nothing of it is going to be sent.
  mutating func removeAll() { (pieces, offset, count) = ([], 0, 0) }
}
