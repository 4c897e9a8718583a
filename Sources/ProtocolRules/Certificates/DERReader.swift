/// Reads DER elements (X.690) one after the other.
package struct DERReader: Sendable {
  package struct Element: Sendable {
    package let tag: UInt8
    package let content: ArraySlice<UInt8>
    /// The complete element: tag, length and content.
    package let whole: ArraySlice<UInt8>
  }

  private var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  package init(_ bytes: [UInt8]) { rest = bytes[...] }

  package var isAtEnd: Bool { rest.isEmpty }

  /// Reads the next element; nil at the end, and where the bytes aren't a complete element.
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

  /// Reads the next element and returns its content if it has this tag; otherwise returns nil and doesn't move.
  package mutating func next(_ tag: UInt8) -> ArraySlice<UInt8>? {
    var copy = self
    guard let element = copy.next(), element.tag == tag else { return nil }
    self = copy
    return element.content
  }

  /// Encodes an element: tag, length and `content`.
  package static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
    let digits = (0..<8).map { UInt8(truncatingIfNeeded: content.count >> (8 * (7 - $0))) }.drop { $0 == 0 }
    return [tag, 0x80 | UInt8(digits.count)] + digits + content
  }
}
