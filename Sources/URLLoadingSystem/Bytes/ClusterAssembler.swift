/// Joins Unicode scalars to characters (grapheme clusters). A value without I/O; `AsyncCharacterSequence.AsyncIterator` owns it.
@usableFromInline
struct ClusterAssembler: Sendable {
  private var first: Unicode.Scalar?
  /// The scalars of the character after `first`; most characters have none.
  private var rest = String.UnicodeScalarView()
  // The standard library's incremental form of its grapheme-breaking rules: calling `String.count` again for each scalar would take quadratic time
  // for a long cluster.
  private var recognizer = Unicode._CharacterRecognizer()
  /// Whether `recognizer` has been given `first` and `rest`; false after a break between two ASCII scalars, which is found without it.
  private var isCurrent = true

  @usableFromInline
  init() {}

  /// Adds a scalar; returns the character that it completes by beginning another one, or nil.
  @usableFromInline
  mutating func accept(_ scalar: Unicode.Scalar) -> Character? {
    if let previous = first, previous.isASCII, scalar.isASCII, rest.isEmpty, previous != "\r" || scalar != "\n" {
      // Unicode Standard Annex 29, GB3 to GB5 and GB999: between two ASCII scalars there is always a break, except in CR LF.
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

  /// Returns the character that has been collected so far, at the end of the input; nil if there is none.
  @usableFromInline
  mutating func finish() -> Character? {
    guard let start = first else { return nil }
    first = nil
    if rest.isEmpty { return Character(start) }
    rest.insert(start, at: rest.startIndex)
    defer { rest = String.UnicodeScalarView() }
    return Character(String(rest))
  }

  /// Drops the collected scalars, because the input has failed.
  @usableFromInline
  mutating func discard() { self = ClusterAssembler() }
}
