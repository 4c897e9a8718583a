/// Joins scalars to characters. A value without I/O; `AsyncCharacterSequence.AsyncIterator` owns it.
@usableFromInline
struct ClusterAssembler: Sendable {
  private var first: Unicode.Scalar?
  /// What follows `first`: nothing, for most characters.
  private var rest = String.UnicodeScalarView()
  // The standard library's streaming form of its own breaking rules: asking `String.count` again for every scalar would make a
  // long cluster cost the square of its length.
  private var recognizer = Unicode._CharacterRecognizer()
  /// Whether the recognizer has been asked about `first` and `rest`: not where both sides of a break were ASCII.
  private var isCurrent = true

  @usableFromInline
  init() {}

  /// Adds a scalar; returns the character before it if this one begins another.
  @usableFromInline
  mutating func accept(_ scalar: Unicode.Scalar) -> Character? {
    if let previous = first, previous.isASCII, scalar.isASCII, rest.isEmpty, previous != "\r" || scalar != "\n" {
      // Unicode Standard Annex 29, GB3 to GB5 and GB999.
      first = scalar
      isCurrent = false
      return Character(previous)
    }
    if !isCurrent, let previous = first {
      recognizer = Unicode._CharacterRecognizer()
      _ = recognizer.hasBreak(before: previous)
    }
    isCurrent = true
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
