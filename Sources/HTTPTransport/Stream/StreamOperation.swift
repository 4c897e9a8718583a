import Foundation
import LoadingModel
import NIOCore

/// The result of a read: the bytes, and whether they end at the peer's end of the stream.
package struct StreamPiece: Sendable {
  package var bytes: ByteBuffer
  package var isLast: Bool
}

/// One read or write that the app has requested, answered exactly once. Confined to the event loop of its session.
package class StreamOperation: @unchecked Sendable {
  // @unchecked: made by the caller, which hands it to its session and keeps it for `withdraw` alone; `deadline` is confined to the
  // session's event loop, `timeout` is immutable.
  /// The time limit in seconds; 0 for none.
  fileprivate let timeout: Double
  /// The time at which the operation times out; nil while its time limit isn't running.
  private(set) var deadline: Instant?

  fileprivate init(timeout: Double) {
    self.timeout = timeout.isFinite && timeout > 0 ? timeout : 0
  }

  /// Starts the operation's time limit at `now`.
  func startClock(_ now: Instant) {
    deadline = timeout > 0 ? now.advanced(bySeconds: timeout) : nil
  }

  func fail(_ error: LoadError) {}

  /// Whether the waiting caller has been answered.
  var isOver: Bool { true }

  var timedOut: LoadError {
    LoadError(.timedOut, .body, "the stream's peer didn't get to it within the operation's \(timeout.formatted(.number)) seconds")
  }
}

/// A read that the app has requested.
package final class StreamRead: StreamOperation, @unchecked Sendable {
  // @unchecked: `done` is confined to the session's event loop once the initialiser has returned; the rest is immutable.
  package typealias Done = @Sendable (Result<StreamPiece, LoadError>) -> Void

  let minimum: Int
  let maximum: Int
  private var done: Done?

  package init(atLeast minimum: Int, atMost maximum: Int, timeout: Double, _ done: @escaping Done) {
    // A minimum of 0 counts as 1: a read always waits for at least one byte, or the end.
    self.minimum = max(1, min(minimum, maximum))
    self.maximum = maximum
    self.done = done
    super.init(timeout: timeout)
  }

  override var isOver: Bool { done == nil }

  override func fail(_ error: LoadError) { finish(.failure(error)) }

  func finish(_ result: Result<StreamPiece, LoadError>) { done.take()?(result) }
}

/// A write that the app has requested.
package final class StreamWrite: StreamOperation, @unchecked Sendable {
  // @unchecked: `offset`, `hasBegun` and `done` are confined to the session's event loop once the initialiser has returned; `data` is
  // immutable.
  package typealias Done = @Sendable (LoadError?) -> Void

  /// The most bytes of a write that are handed to the channel at once.
  private static let pieceSize = 128 * 1024

  private let data: Data
  private var offset = 0
  private(set) var hasBegun = false
  private var done: Done?

  package init(_ data: Data, timeout: Double, _ done: @escaping Done) {
    self.data = data
    self.done = done
    super.init(timeout: timeout)
  }

  var isTaken: Bool { hasBegun && offset == data.count }

  func nextPiece() -> ByteBuffer {
    hasBegun = true
    let end = min(offset + StreamWrite.pieceSize, data.count)
    defer { offset = end }
    return data.withUnsafeBytes { ByteBuffer(bytes: UnsafeRawBufferPointer(rebasing: $0[offset..<end])) }
  }

  override var isOver: Bool { done == nil }

  override func fail(_ error: LoadError) { finish(error) }

  func finish(_ error: LoadError?) { done.take()?(error) }
}
