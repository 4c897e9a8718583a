extension AsyncSequence where Element == UInt8 {
  /// The lines of the UTF-8 text in these bytes, without their terminators and without empty lines.
  public var lines: AsyncLineSequence<Self> { AsyncLineSequence(self) }

  /// The characters of the UTF-8 text in these bytes.
  public var characters: AsyncCharacterSequence<Self> { AsyncCharacterSequence(self) }

  /// The Unicode scalars of the UTF-8 text in these bytes.
  public var unicodeScalars: AsyncUnicodeScalarSequence<Self> { AsyncUnicodeScalarSequence(self) }
}
