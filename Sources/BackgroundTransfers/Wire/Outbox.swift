import Foundation

/// Bytes that wait to be sent on a connection, in order. A value without a socket.
struct Outbox: Sendable {
  /// Messages are joined up to this many bytes, so that small ones are sent together.
  private static let pieceSize = 64 << 10

  private let limit: Int
  private var pieces: [Data] = []
  /// How many bytes of the first piece are sent already.
  private var offset = 0
  private(set) var count = 0
  /// Bytes sent since the connection began.
  private(set) var left = 0

  /// - Parameter limit: Maximum number of bytes that may wait.
  init(limit: Int = MessageLink.maximumUnsent) { self.limit = limit }

  /// - Returns: false if there is no room; nothing is added then.
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

  /// The bytes to send next: those of the first piece that aren't sent yet.
  var next: Data? { pieces.first.map { $0.dropFirst(offset) } }

  /// Notes that the first `bytes` bytes of `next` are sent.
  mutating func sent(_ bytes: Int) {
    guard let first = pieces.first else { return }
    count -= bytes
    left += bytes
    offset += bytes
    guard offset >= first.count else { return }
    pieces.removeFirst()
    offset = 0
  }

  /// The value that `left` will have when everything that waits now is sent.
  var end: Int { left + count }

  /// Drops all waiting bytes, because they can't be sent any more.
  mutating func removeAll() { (pieces, offset, count) = ([], 0, 0) }
}
