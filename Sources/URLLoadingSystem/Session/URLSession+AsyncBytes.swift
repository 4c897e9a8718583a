import Foundation

extension URLSession {
  /// The bytes of a body, delivered as they are read.
  ///
  /// All iterators share one load: each byte is delivered once. When the sequence and its iterators are released, the load is cancelled.
  public struct AsyncBytes: AsyncSequence, Sendable {
    /// A byte.
    public typealias Element = UInt8
    /// `URLError`, or what an app's own protocol class reported.
    public typealias Failure = any Error
    /// The iterator's type.
    public typealias AsyncIterator = Iterator

    /// The task behind the load: to cancel it, or to read its progress.
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

/// A body's chunks together with the knowledge that there may still be a reader.
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
