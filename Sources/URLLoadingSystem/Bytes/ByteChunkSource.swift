public import Foundation

/// Where bytes come from in pieces, so that a reader takes a piece at a time instead of a byte.
///
/// Shared by the copies of one iterator, which read it one call at a time.
@usableFromInline
package protocol ByteChunkSource<Failure>: AnyObject, Sendable {
  associatedtype Failure: Error

  /// The next piece, as soon as there is one byte; nil at the end and ever after.
  func nextChunk(isolation: isolated (any Actor)?) async throws(Failure) -> Data?
}

/// A byte iterator that can hand over its source of pieces.
///
/// Text sequences look for it once per iteration, before they take the first byte.
package protocol ChunkedByteIterator: AsyncIteratorProtocol where Element == UInt8 {
  /// What the iterator itself reads from. Its taker reads through it alone from then on.
  var chunkSource: any ByteChunkSource<Failure> { get }
}

/// A piece of bytes and how far it was read.
@usableFromInline
package struct ByteCursor: Sendable {
  // An array: indexing `Data` costs several times as much per byte.
  @usableFromInline var bytes: [UInt8] = []
  @usableFromInline var position = 0

  @inlinable package init() {}

  /// The next byte of the piece; nil once it is used up.
  @inlinable
  package mutating func next() -> UInt8? {
    guard position < bytes.count else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  /// Replaces the piece, which must be used up, by the next one of `source`, and returns its first byte; nil at the end.
  @usableFromInline
  package mutating func next<Failure>(
    from source: any ByteChunkSource<Failure>, isolation: isolated (any Actor)?
  ) async throws(Failure) -> UInt8? {
    guard let chunk = try await source.nextChunk(isolation: isolation) else { return nil }
    bytes = [UInt8](chunk)
    position = 0
    return next()
  }
}

/// Single bytes out of any byte iterator: by the piece where it allows that, else one by one.
@usableFromInline
package struct ByteReader<Source: AsyncIteratorProtocol> where Source.Element == UInt8 {
  @usableFromInline var single: Source
  @usableFromInline var cursor = ByteCursor()
  @usableFromInline let chunks: (any ByteChunkSource<Source.Failure>)?

  @usableFromInline
  package init(_ source: Source) {
    single = source
    chunks = byteChunks(of: source)
  }

  @inlinable
  package mutating func next(isolation: isolated (any Actor)?) async throws(Source.Failure) -> UInt8? {
    if let byte = cursor.next() { return byte }
    guard let chunks else { return try await single.next(isolation: isolation) }
    return try await cursor.next(from: chunks, isolation: isolation)
  }
}

extension ByteReader: Sendable where Source: Sendable {}

/// The source of pieces behind `iterator`, if it has one.
@usableFromInline
func byteChunks<Source: AsyncIteratorProtocol>(of iterator: Source) -> (any ByteChunkSource<Source.Failure>)? {
  (iterator as? any ChunkedByteIterator)?.chunkSource as? any ByteChunkSource<Source.Failure>
}

/// Pieces out of any byte iterator: its own where it has some, else single bytes, which never wait for those behind them.
struct ChunkReader<Source: AsyncIteratorProtocol> where Source.Element == UInt8 {
  private var single: Source
  private let chunks: (any ByteChunkSource<Source.Failure>)?

  init(_ source: Source) {
    single = source
    chunks = byteChunks(of: source)
  }

  /// The next piece; nil at the end.
  mutating func nextChunk(isolation: isolated (any Actor)?) async throws(Source.Failure) -> Data? {
    if let chunks { return try await chunks.nextChunk(isolation: isolation) }
    return try await single.next(isolation: isolation).map { Data(CollectionOfOne($0)) }
  }
}

extension ChunkReader: Sendable where Source: Sendable {}
