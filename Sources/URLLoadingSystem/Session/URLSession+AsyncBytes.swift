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

    /// Produces the bytes.
    public struct Iterator: AsyncIteratorProtocol, ChunkedByteIterator, Sendable {
      /// A byte.
      public typealias Element = UInt8
      /// `URLError`, or what an app's own protocol class reported.
      public typealias Failure = any Error

      @usableFromInline package let chunkSource: any ByteChunkSource<any Error>
      @usableFromInline var cursor = ByteCursor()

      init(_ source: PresentChunks) { chunkSource = source }

      /// The next byte; nil at the end.
      /// - Throws: `URLError`.
      @inlinable
      public mutating func next() async throws -> UInt8? {
        try await next(isolation: nil)
      }

      /// The next byte, awaited on the caller's actor; nil at the end.
      /// - Throws: `URLError`.
      @inlinable
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> UInt8? {
        if let byte = cursor.next() { return byte }
        return try await cursor.next(from: chunkSource, isolation: actor)
      }
    }
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
