extension URLSession.AsyncBytes {
  /// Produces the bytes of a `URLSession.AsyncBytes`, and also of `URL.AsyncBytes` and `FileHandle.AsyncBytes`; owned by the task that iterates.
  /// Copies share the load.
  public struct Iterator: AsyncIteratorProtocol, ChunkedByteIterator, Sendable {
    /// A byte.
    public typealias Element = UInt8
    /// `URLError`, or the error of an app's own `URLProtocol`; for a URL's or handle's bytes also `CocoaError` and `CancellationError`.
    public typealias Failure = any Error

    @usableFromInline package let chunkSource: any ByteChunkSource<any Error>
    @usableFromInline var cursor = ByteCursor()

    init(_ source: any ByteChunkSource<any Error>) { chunkSource = source }

    /// The next byte; nil at the end.
    /// - Throws: `URLError`. For a URL's bytes also `CocoaError` if a file can't be read, and `CancellationError`.
    @inlinable
    nonisolated(nonsending) public mutating func next() async throws -> UInt8? {
      if let byte = cursor.next() { return byte }
      return try await nextAfterPiece(isolation: #isolation)
    }

    /// The next byte, awaited on the caller's actor; nil at the end.
    /// - Throws: `URLError`. For a URL's bytes also `CocoaError` if a file can't be read, and `CancellationError`.
    @inlinable
    nonisolated(nonsending) public mutating func next(isolation actor: (any Actor)?) async throws(any Error) -> UInt8? {
      if let byte = cursor.next() { return byte }
      return try await nextAfterPiece(isolation: actor)
    }

    @usableFromInline
    mutating func nextAfterPiece(isolation: isolated (any Actor)?) async throws(any Error) -> UInt8? {
      try await cursor.next(from: chunkSource, isolation: isolation)
    }
  }
}
