import Foundation

/// The body streams of one load from which reading has begun: none of them can be sent once more. Thread-safe.
///
/// The stream's own status doesn't tell, because a reader opens it later, on another thread.
final class BegunStreams: @unchecked Sendable {
  // @unchecked: `streams` is only used while `lock` is held, and the streams themselves are only compared.
  private let lock = NSLock()
  /// Kept, so that no later stream has the identity of an earlier one.
  private var streams: [InputStream] = []

  func contains(_ stream: InputStream) -> Bool { lock.withLock { streams.contains { $0 === stream } } }

  func insert(_ stream: InputStream) { lock.withLock { streams.append(stream) } }
}
