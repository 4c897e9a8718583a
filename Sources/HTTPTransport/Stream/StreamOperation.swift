import Foundation
import LoadingModel
import NIOCore

/// What has been read: bytes, and whether they are the last.
package struct StreamPiece: Sendable {
  package var bytes: ByteBuffer
  package var isLast: Bool
}

/// One read or write that the app has asked for. Ends once; confined to the event loop of its session.
package class StreamOperation: @unchecked Sendable {
  // @unchecked: made by the caller, which hands it to its session and keeps it for `withdraw` alone; `deadline` is confined to the
  // session's event loop, `timeout` is immutable.
  /// Seconds; 0 for any time.
  fileprivate let timeout: Double
  /// nil while the clock doesn't run for it.
  private(set) var deadline: Instant?

  fileprivate init(timeout: Double) {
    self.timeout = timeout.isFinite && timeout > 0 ? timeout : 0
  }

  /// Its turn may come from `now` on.
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

/// Bytes that a caller waits for.
package final class StreamRead: StreamOperation, @unchecked Sendable {
  // @unchecked: `done` is confined to the session's event loop once the initialiser has returned; the rest is immutable.
  package typealias Done = @Sendable (Result<StreamPiece, LoadError>) -> Void

  let minimum: Int
  let maximum: Int
  private var done: Done?

  package init(atLeast minimum: Int, atMost maximum: Int, timeout: Double, _ done: @escaping Done) {
    // A read waits for something, whatever it says.
    self.minimum = max(1, min(minimum, maximum))
    self.maximum = maximum
    self.done = done
    super.init(timeout: timeout)
  }

  override var isOver: Bool { done == nil }

  override func fail(_ error: LoadError) { finish(.failure(error)) }

  func finish(_ result: Result<StreamPiece, LoadError>) { done.take()?(result) }
}

/// Bytes that are to be sent.
package final class StreamWrite: StreamOperation, @unchecked Sendable {
  // @unchecked: `offset`, `hasBegun` and `done` are confined to the session's event loop once the initialiser has returned; `data` is
  // immutable.
  package typealias Done = @Sendable (LoadError?) -> Void

  /// Bytes of it that are handed to the channel at a time.
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
