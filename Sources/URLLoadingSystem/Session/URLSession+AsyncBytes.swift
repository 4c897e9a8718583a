import Foundation
import LoadingModel

extension URLSession {
  /// Loads `request` and returns as soon as the response is there; the body follows through the sequence.
  ///
  /// Bytes are received as fast as they are read: at most a bounded window waits in memory.
  /// - Throws: `URLError`; later errors come from the sequence.
  public func bytes(
    for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URLSession.AsyncBytes, URLResponse) {
    try await stream(request.load, delegate)
  }

  /// Loads `url` with GET and returns as soon as the response is there; the body follows through the sequence.
  /// - Throws: `URLError`; later errors come from the sequence.
  public func bytes(
    from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (URLSession.AsyncBytes, URLResponse) {
    try await stream(LoadRequest(url: url), delegate)
  }

  private func stream(
    _ request: LoadRequest, _ delegate: (any URLSessionTaskDelegate)?
  ) async throws -> (URLSession.AsyncBytes, URLResponse) {
    let chunks = BodyChunks(window: 256 * 1024)
    let task = makeDataTask(request, .bytes(chunks), delegate: delegate)
    return try await withTaskCancellationHandler {
      task.resume()
      let response = try await chunks.response()
      return (AsyncBytes(task: task, chunks: chunks), response)
    } onCancel: {
      task.cancel()
    }
  }

  /// The bytes of a body, delivered as they are read.
  ///
  /// All iterators share one load: each byte is delivered once. When the sequence and its iterators are released, the load is cancelled.
  public struct AsyncBytes: AsyncSequence, Sendable {
    /// One byte of the body.
    public typealias Element = UInt8
    /// `URLError`, or the error of an app's own `URLProtocol`.
    public typealias Failure = any Error
    /// The type of the sequence's iterators.
    public typealias AsyncIterator = Iterator

    /// The load's task, by which it can be cancelled and its progress read.
    public let task: URLSessionDataTask
    private let source: PresentChunks

    init(task: URLSessionDataTask, chunks: BodyChunks) {
      self.task = task
      source = PresentChunks(chunks)
    }

    /// Makes an iterator over the unread bytes.
    public func makeAsyncIterator() -> Iterator { Iterator(source) }
  }
}

/// The chunks of a body for its sequence and iterators: when the last of them is released, the load is cancelled (`ReaderPresence`).
final class PresentChunks: ByteChunkSource {
  private let chunks: BodyChunks
  private let presence: ReaderPresence

  init(_ chunks: BodyChunks) {
    self.chunks = chunks
    presence = ReaderPresence(chunks)
  }

  func nextChunk(isolation: isolated (any Actor)?) async throws(any Error) -> Data? {
    try await chunks.nextChunk(isolation: isolation)
  }
}
