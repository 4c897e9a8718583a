/// Reads DER (X.690), one element after the other.
package struct DERReader: Sendable {
  package struct Element: Sendable {
    package let tag: UInt8
    package let content: ArraySlice<UInt8>
    /// The content with tag and length before it.
    package let whole: ArraySlice<UInt8>
  }

  private var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  package init(_ bytes: [UInt8]) { rest = bytes[...] }

  package var isAtEnd: Bool { rest.isEmpty }

  /// The next element; nil at the end, and where there is none.
  package mutating func next() -> Element? {
    guard rest.count >= 2, let tag = rest.first, tag & 0x1F != 0x1F else { return nil }
    var length = Int(rest[rest.startIndex + 1])
    var header = 2
    if length & 0x80 != 0 {
      let count = length & 0x7F
      guard (1...4).contains(count), rest.count >= 2 + count else { return nil }
      length = rest[(rest.startIndex + 2)..<(rest.startIndex + 2 + count)].reduce(0) { $0 << 8 | Int($1) }
      header += count
    }
    guard rest.count >= header + length else { return nil }
    let whole = rest.prefix(header + length)
    rest = rest.dropFirst(header + length)
    return Element(tag: tag, content: whole.dropFirst(header), whole: whole)
  }

  /// The content of the next element if it has this tag; nil, and it stays the next, if it hasn't.
  package mutating func next(_ tag: UInt8) -> ArraySlice<UInt8>? {
    var copy = self
    guard let element = copy.next(), element.tag == tag else { return nil }
    self = copy
    return element.content
  }

  /// An element as bytes.
  package static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
    let digits = (0..<8).map { UInt8(truncatingIfNeeded: content.count >> (8 * (7 - $0))) }.drop { $0 == 0 }
    return [tag, 0x80 | UInt8(digits.count)] + digits + content
  }
}
