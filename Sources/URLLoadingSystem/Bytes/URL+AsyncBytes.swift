public import Foundation

extension URL {
  /// The bytes of the resource behind this URL: a file directly, anything else through `URLSession.shared`.
  public var resourceBytes: AsyncBytes { AsyncBytes(url: self) }

  /// The lines of the UTF-8 text behind this URL, without empty lines; see ``AsyncLineSequence``.
  public var lines: AsyncLineSequence<AsyncBytes> { resourceBytes.lines }

  /// The bytes of a resource, loaded while they are read.
  ///
  /// Every iteration loads the resource anew, beginning with the first byte asked for. An HTTP status of 400 and above isn't an
  /// error: its body is delivered.
  public struct AsyncBytes: AsyncSequence, Sendable {
    /// A byte.
    public typealias Element = UInt8
    /// A `CocoaError` for files, a `URLError` for everything else, or `CancellationError`.
    public typealias Failure = any Error

    let url: URL

    /// Makes an iterator that loads the resource.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(ResourceChunks(url)) }

    /// Produces the bytes; owned by the task that iterates. Copies share the load.
    public struct AsyncIterator: AsyncIteratorProtocol, ChunkedByteIterator, Sendable {
      /// A byte.
      public typealias Element = UInt8
      /// A `CocoaError` for files, a `URLError` for everything else, or `CancellationError`.
      public typealias Failure = any Error

      @usableFromInline package let chunkSource: any ByteChunkSource<any Error>
      @usableFromInline var cursor = ByteCursor()

      init(_ source: ResourceChunks) { chunkSource = source }

      /// The next byte; nil at the end.
      /// - Throws: `CocoaError` if a file can't be read, `URLError` if a load fails, `CancellationError`.
      @inlinable
      public mutating func next() async throws -> UInt8? {
        try await next(isolation: nil)
      }

      /// The next byte, awaited on the caller's actor; nil at the end.
      /// - Throws: `CocoaError` if a file can't be read, `URLError` if a load fails, `CancellationError`.
      @inlinable
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> UInt8? {
        if let byte = cursor.next() { return byte }
        return try await cursor.next(from: chunkSource, isolation: actor)
      }
    }
  }
}
