/// The Unicode scalars in an asynchronous sequence of UTF-8 bytes; `unicodeScalars` makes it.
///
/// Bytes that aren't UTF-8 become U+FFFD, one for each maximal ill-formed part, as `String(decoding:as:)` does.
public struct AsyncUnicodeScalarSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
  /// A Unicode scalar value.
  public typealias Element = UnicodeScalar
  /// The error type of the byte sequence.
  public typealias Failure = Base.Failure

  let base: Base

  init(_ base: Base) { self.base = base }

  /// Makes an iterator over the scalars. Iterating twice reads the base sequence twice, if it allows that.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base.makeAsyncIterator()) }

  /// Produces the scalars; owned by the task that iterates.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// A Unicode scalar value.
    public typealias Element = UnicodeScalar
    /// The error type of the byte sequence.
    public typealias Failure = Base.Failure

    @usableFromInline var bytes: ByteReader<Base.AsyncIterator>
    @usableFromInline var decoder = ScalarDecoder()
    /// A byte that ended an ill-formed UTF-8 sequence and is to be decoded again, as the first of the next; nil if there is none.
    @usableFromInline var repeated: UInt8?

    init(_ bytes: Base.AsyncIterator) { self.bytes = ByteReader(bytes) }

    /// The next scalar; nil at the end.
    /// - Throws: The error of the byte sequence.
    @inlinable
    nonisolated(nonsending) public mutating func next() async throws(Base.Failure) -> UnicodeScalar? {
      try await next(isolation: #isolation)
    }

    /// The next scalar, awaited on the caller's actor; nil at the end.
    /// - Throws: The error of the byte sequence.
    @inlinable
    nonisolated(nonsending) public mutating func next(isolation actor: (any Actor)?) async throws(Base.Failure) -> UnicodeScalar? {
      while true {
        let byte: UInt8
        if let again = repeated {
          repeated = nil
          byte = again
        } else if let fresh = try await bytes.next() {
          byte = fresh
        } else {
          return decoder.finish()
        }
        switch decoder.accept(byte) {
        case .needsMore: continue
        case .scalar(let scalar): return scalar
        case .replacementThenSameByte:
          repeated = byte
          return "\u{FFFD}"
        }
      }
    }
  }
}

extension AsyncUnicodeScalarSequence: Sendable where Base: Sendable {}
extension AsyncUnicodeScalarSequence.AsyncIterator: Sendable where Base.AsyncIterator: Sendable {}
