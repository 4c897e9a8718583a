public import Foundation

/// A source of bytes in pieces, so that readers needn't await each byte.
///
/// Shared by the copies of one iterator, which call it one at a time.
@usableFromInline
package protocol ByteChunkSource<Failure>: AnyObject, Sendable {
  associatedtype Failure: Error

  /// Waits for the next piece, of at least one byte; nil at the end and for all later calls.
  func nextChunk(isolation: isolated (any Actor)?) async throws(Failure) -> Data?
}

/// A byte iterator whose source of pieces can be read directly.
///
/// Text sequences look for the source when their iterator is made, before they take the first byte.
package protocol ChunkedByteIterator: AsyncIteratorProtocol where Element == UInt8 {
  /// The source from which the iterator itself reads. A caller that uses it must not use the iterator any more.
  var chunkSource: any ByteChunkSource<Failure> { get }
}

/// A piece of bytes and the position of the next byte to read.
///
/// Iterators over single bytes are used in loops of actors, which must not change executors for each byte. Their `next(isolation:)` is therefore
/// inlinable and nonisolated(nonsending), with a parameter that isn't `isolated`; in this form it fulfils the protocol's requirement too. The callee
/// then needs no executor of its own (`hop_to_executor`), and the compiler knows that the caller stays on its executor while a piece lasts. Waiting
/// for the next piece is a separate function, which isn't inlined.
@usableFromInline
package struct ByteCursor: Sendable {
  // An array, because indexing `Data` takes several times as long per byte.
  @usableFromInline var bytes: [UInt8] = []
  @usableFromInline var position = 0

  @inlinable package init() {}

  /// The next byte of the piece; nil when all have been read.
  @inlinable
  package mutating func next() -> UInt8? {
    guard position < bytes.count else { return nil }
    defer { position &+= 1 }
    return bytes[position]
  }

  /// Replaces the piece, when all of it has been read, by the next one of `source`, and returns its first byte; nil at the end.
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

/// Reads single bytes from any byte iterator: piece by piece if it has a `ByteChunkSource`, otherwise by its `next`.
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
  nonisolated(nonsending) package mutating func next() async throws(Source.Failure) -> UInt8? {
    if let byte = cursor.next() { return byte }
    return try await nextAfterPiece()
  }

  // Not inlined, unlike `next`: then an app's loop over bytes contains only the step within a piece.
  @inlinable @inline(never)
  nonisolated(nonsending) mutating func nextAfterPiece() async throws(Source.Failure) -> UInt8? {
    guard let chunks else { return try await single.next(isolation: #isolation) }
    return try await cursor.next(from: chunks, isolation: #isolation)
  }
}

extension ByteReader: Sendable where Source: Sendable {}

/// The source of pieces behind `iterator`; nil if it has none.
@usableFromInline
func byteChunks<Source: AsyncIteratorProtocol>(of iterator: Source) -> (any ByteChunkSource<Source.Failure>)? {
  (iterator as? any ChunkedByteIterator)?.chunkSource as? any ByteChunkSource<Source.Failure>
}

/// Reads pieces from any byte iterator: those of its `ByteChunkSource` if it has one, otherwise single bytes, so that none waits for the bytes behind
/// it.
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
