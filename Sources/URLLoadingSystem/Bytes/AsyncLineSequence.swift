/// The lines of text in an asynchronous sequence of UTF-8 bytes; `lines` makes it.
///
/// As on Apple's platforms, a line ends with LF, CR, CR LF, VT, FF, NEL (U+0085), LS (U+2028) or PS (U+2029), the terminator isn't
/// part of the line, and **empty lines are left out**: consecutive terminators count as one. Code that must see empty lines, such
/// as a reader of server-sent events, splits the bytes itself. Bytes that aren't UTF-8 become U+FFFD.
///
/// A line is delivered once its terminator has arrived, and is held whole in memory until then. The last line needs none.
public struct AsyncLineSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
  /// A line, without its terminator; never empty.
  public typealias Element = String
  /// The error type of the byte sequence.
  public typealias Failure = Base.Failure

  let base: Base

  init(_ base: Base) { self.base = base }

  /// Makes an iterator over the lines. Iterating twice reads the base sequence twice, if it allows that.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base.makeAsyncIterator()) }

  /// Produces the lines; owned by the task that iterates.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// A line, without its terminator; never empty.
    public typealias Element = String
    /// The error type of the byte sequence.
    public typealias Failure = Base.Failure

    @usableFromInline var bytes: Base.AsyncIterator
    @usableFromInline let chunks: (any ByteChunkSource<Base.Failure>)?
    @usableFromInline var assembler = LineAssembler()

    init(_ bytes: Base.AsyncIterator) {
      self.bytes = bytes
      chunks = byteChunks(of: bytes)
    }

    /// The next line; nil at the end.
    /// - Throws: The error of the byte sequence. A line of which a part had arrived is lost then.
    @inlinable
    nonisolated(nonsending) public mutating func next() async throws(Base.Failure) -> String? {
      try await next(isolation: #isolation)
    }

    /// The next line, awaited on the caller's actor; nil at the end.
    /// - Throws: The error of the byte sequence. A line of which a part had arrived is lost then.
    @inlinable
    nonisolated(nonsending) public mutating func next(isolation actor: (any Actor)?) async throws(Base.Failure) -> String? {
      if let line = assembler.nextLine() { return line }
      return try await lineAfterPiece()
    }

    /// Reads further pieces until one completes a line; called when the current piece contains no further line.
    // Not inlined, unlike `next`: then an app's loop over lines contains only the search within a piece.
    @inlinable @inline(never)
    nonisolated(nonsending) mutating func lineAfterPiece() async throws(Base.Failure) -> String? {
      do throws(Base.Failure) {
        guard let chunks else { return try await lineByBytes() }
        while let chunk = try await chunks.nextChunk(isolation: #isolation) {
          assembler.refill(chunk)
          if let line = assembler.nextLine() { return line }
        }
        return assembler.finish()
      } catch {
        assembler.discard()
        throw error
      }
    }

    @inlinable
    nonisolated(nonsending) mutating func lineByBytes() async throws(Base.Failure) -> String? {
      while let byte = try await bytes.next(isolation: #isolation) {
        if let line = assembler.accept(byte) { return line }
      }
      return assembler.finish()
    }
  }
}

extension AsyncLineSequence: Sendable where Base: Sendable {}
extension AsyncLineSequence.AsyncIterator: Sendable where Base.AsyncIterator: Sendable {}
