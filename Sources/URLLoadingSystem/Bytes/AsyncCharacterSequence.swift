/// The characters (extended grapheme clusters) in an asynchronous sequence of UTF-8 bytes; `characters` makes it.
///
/// A character is delivered as soon as the next scalar, or the end, shows that it is complete. Bytes that aren't UTF-8 become U+FFFD.
public struct AsyncCharacterSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
  /// A character: an extended grapheme cluster.
  public typealias Element = Character
  /// The error type of the byte sequence.
  public typealias Failure = Base.Failure

  let base: Base

  init(_ base: Base) { self.base = base }

  /// Makes an iterator over the characters. Iterating twice reads the base sequence twice, if it allows that.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base.makeAsyncIterator()) }

  /// Produces the characters; owned by the task that iterates.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// A character: an extended grapheme cluster.
    public typealias Element = Character
    /// The error type of the byte sequence.
    public typealias Failure = Base.Failure

    @usableFromInline var scalars: AsyncUnicodeScalarSequence<Base>.AsyncIterator
    @usableFromInline var clusters = ClusterAssembler()

    init(_ bytes: Base.AsyncIterator) { scalars = AsyncUnicodeScalarSequence<Base>.AsyncIterator(bytes) }

    /// The next character; nil at the end.
    /// - Throws: The error of the byte sequence. A character of which a part had arrived is lost then.
    @inlinable
    nonisolated(nonsending) public mutating func next() async throws(Base.Failure) -> Character? {
      try await next(isolation: #isolation)
    }

    /// The next character, awaited on the caller's actor; nil at the end.
    /// - Throws: The error of the byte sequence. A character of which a part had arrived is lost then.
    @inlinable
    nonisolated(nonsending) public mutating func next(isolation actor: (any Actor)?) async throws(Base.Failure) -> Character? {
      do throws(Base.Failure) {
        while let scalar = try await scalars.next() {
          if let character = clusters.accept(scalar) { return character }
        }
        return clusters.finish()
      } catch {
        clusters.discard()
        throw error
      }
    }
  }
}

extension AsyncCharacterSequence: Sendable where Base: Sendable {}
extension AsyncCharacterSequence.AsyncIterator: Sendable where Base.AsyncIterator: Sendable {}
