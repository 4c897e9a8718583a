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
///
/// Iterators over single bytes are read in loops of actors, and a loop must not change executors for each byte. Their `next(isolation:)` is
/// therefore inlined, and nonisolated(nonsending) with a parameter that isn't `isolated`, as which it fulfils the protocol's requirement too: the
/// callee then needn't be on an executor of its own (`hop_to_executor`), and the compiler knows that the caller has stayed on its own while the
/// piece lasts. What waits for the next piece is a call that isn't inlined.
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
    defer { position &+= 1 }
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
  nonisolated(nonsending) package mutating func next() async throws(Source.Failure) -> UInt8? {
    if let byte = cursor.next() { return byte }
    return try await nextAfterPiece()
  }

  // Not inlined: `next` is, into the app's loop over bytes, which then has only the step within a piece.
  @inlinable @inline(never)
  nonisolated(nonsending) mutating func nextAfterPiece() async throws(Source.Failure) -> UInt8? {
    guard let chunks else { return try await single.next(isolation: #isolation) }
    return try await cursor.next(from: chunks, isolation: #isolation)
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
