/// Joins scalars to characters. A value without I/O; `AsyncCharacterSequence.AsyncIterator` owns it.
@usableFromInline
struct ClusterAssembler: Sendable {
  private var first: Unicode.Scalar?
  /// What follows `first`: nothing, for most characters.
  private var rest = String.UnicodeScalarView()
  // The standard library's streaming form of its own breaking rules: asking `String.count` again for every scalar would make a
  // long cluster cost the square of its length.
  private var recognizer = Unicode._CharacterRecognizer()

  @usableFromInline
  init() {}

  /// Adds a scalar; returns the character before it if this one begins another.
  @usableFromInline
  mutating func accept(_ scalar: Unicode.Scalar) -> Character? {
    let complete = recognizer.hasBreak(before: scalar) ? finish() : nil
    if first == nil { first = scalar } else { rest.append(scalar) }
    return complete
  }

  /// The character so far; nil if there is none.
  @usableFromInline
  mutating func finish() -> Character? {
    guard let start = first else { return nil }
    first = nil
    if rest.isEmpty { return Character(start) }
    rest.insert(start, at: rest.startIndex)
    defer { rest = String.UnicodeScalarView() }
    return Character(String(rest))
  }

  /// Forgets everything: the input failed.
  @usableFromInline
  mutating func discard() { self = ClusterAssembler() }
}
