/// A URL in which [1-3], [a-z:2] and {one,two} stand for several URLs, as in curl; the last pattern varies fastest. Pure.
struct URLPattern: Sendable {
  private enum Piece: Sendable {
    case text(String)
    case words([String])
    case numbers(from: UInt64, count: Int, step: UInt64, width: Int)
    case letters(from: UInt8, count: Int, step: Int)

    var count: Int {
      switch self {
      case .text: 1
      case .words(let words): words.count
      case .numbers(_, let count, _, _), .letters(_, let count, _): count
      }
    }

    func value(_ index: Int) -> String {
      switch self {
      case .text(let text): return text
      case .words(let words): return words[index]
      case .numbers(let from, _, let step, let width):
        let text = String(from + UInt64(index) * step)
        return String(repeating: "0", count: max(0, width - text.count)) + text
      case .letters(let from, _, let step): return String(Unicode.Scalar(from + UInt8(index * step)))
      }
    }
  }

  private static let most = 1_000_000
  private var pieces: [Piece] = []
  /// The number of URLs.
  private(set) var count = 1

  /// - Throws: If a pattern can't be parsed, or means too many URLs.
  init(_ text: String) throws(ToolFailure) {
    var rest = text[...]
    var plain = ""
    while let character = rest.popFirst() {
      switch character {
      case "\\" where rest.first.map { "{}[]".contains($0) } == true: plain.append(rest.removeFirst())
      // As in curl, empty brackets are text: names in queries end with them.
      case "[" where rest.first == "]" || URLPattern.isAddress(rest): plain.append(character)
      case "{", "[":
        if !plain.isEmpty { pieces.append(.text(plain)) }
        plain = ""
        let place = text.distance(from: text.startIndex, to: rest.startIndex)
        pieces.append(character == "{" ? try URLPattern.words(&rest, place) : try URLPattern.range(&rest, place))
      case "}": throw URLPattern.failure("an unmatched }", text.distance(from: text.startIndex, to: rest.startIndex))
      case "]" where !URLPattern.isAddressEnd(plain): plain.append(character)
      default: plain.append(character)
      }
    }
    if !plain.isEmpty || pieces.isEmpty { pieces.append(.text(plain)) }
    for piece in pieces {
      let (product, isTooMuch) = count.multipliedReportingOverflow(by: piece.count)
      guard !isTooMuch, product <= URLPattern.most else {
        throw ToolFailure(.malformedURL, "the pattern means more than \(URLPattern.most) URLs; use a smaller one")
      }
      count = product
    }
  }

  /// A URL without patterns: brackets and braces are ordinary characters.
  init(literal text: String) { pieces = [.text(text)] }

  /// The URL with this index, and the values of its patterns.
  subscript(_ index: Int) -> (url: String, values: [String]) {
    var rest = index
    var url = ""
    var values: [String] = []
    for piece in pieces.reversed() {
      let value = piece.value(rest % piece.count)
      rest /= piece.count
      url = value + url
      if case .text = piece { continue }
      values.insert(value, at: 0)
    }
    return (url, values)
  }

  /// A file name in which #1, #2 and so on are replaced by the patterns' values.
  static func name(_ template: String, _ values: [String]) -> String {
    var result = ""
    var rest = template[...]
    while let character = rest.popFirst() {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      if character == "#", let number = Int(digits), number >= 1, number <= values.count {
        result += values[number - 1]
        rest = rest.dropFirst(digits.count)
      } else {
        result.append(character)
      }
    }
    return result
  }

  /// Whether the bracket begins an IPv6 address, as in "[::1]", and not a pattern.
  private static func isAddress(_ rest: Substring) -> Bool {
    guard let end = rest.firstIndex(of: "]") else { return false }
    let content = rest[..<end]
    return content.contains(":") && content.prefix { $0 != "%" }.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
      && !content.contains("-")
  }

  private static func isAddressEnd(_ plain: String) -> Bool { plain.contains("[") }

  private static func failure(_ what: String, _ place: Int) -> ToolFailure {
    ToolFailure(.malformedURL, "the URL has \(what) at character \(place); patterns are [1-3], [a-z:2], {one,two}; -g takes them as text")
  }

  private static func words(_ rest: inout Substring, _ place: Int) throws(ToolFailure) -> Piece {
    var words = [""]
    while let character = rest.popFirst() {
      switch character {
      case "}":
        guard words != [""] else { throw failure("an empty pair of braces", place) }
        return .words(words)
      case ",": words.append("")
      case "{", "[": throw failure("a pattern within a pattern", place)
      case "\\" where !rest.isEmpty: words[words.count - 1].append(rest.removeFirst())
      default: words[words.count - 1].append(character)
      }
    }
    throw failure("an unmatched {", place)
  }

  private static func range(_ rest: inout Substring, _ place: Int) throws(ToolFailure) -> Piece {
    guard let end = rest.firstIndex(of: "]") else { throw failure("an unmatched [", place) }
    let text = rest[..<end]
    rest = rest[rest.index(after: end)...]
    let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let ends = halves[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2, let step = halves.count == 2 ? UInt64(halves[1]) : 1, step > 0, step <= UInt64(Int.max) else {
      throw failure("a range that isn't one", place)
    }
    if let first = UInt64(ends[0]), let last = UInt64(ends[1]) {
      guard first <= last, last - first < UInt64(Int.max) else { throw failure("a range that ends before it begins", place) }
      return .numbers(from: first, count: Int((last - first) / step) + 1, step: step, width: ends[0].hasPrefix("0") ? ends[0].count : 0)
    }
    guard ends[0].count == 1, ends[1].count == 1, let first = ends[0].first?.asciiValue, let last = ends[1].first?.asciiValue,
      ends[0].first?.isLetter == true, ends[1].first?.isLetter == true, first <= last
    else { throw failure("a range that isn't one", place) }
    return .letters(from: first, count: Int(last - first) / Int(min(step, 255)) + 1, step: Int(min(step, 255)))
  }
}
