import Foundation

/// A line of text to draw.
struct TextLine: Sendable {
  var text: String
  /// The left end of the line's baseline.
  var origin: CGPoint
  var width: CGFloat
}

/// A text broken into lines, whose positions are relative to the upper left corner of the text's rectangle.
struct TextLayout {
  let face: FontFace
  private(set) var lines: [TextLine] = []
  /// The size of the whole text, in points.
  private(set) var size = CGSize.zero

  /// Breaks a text at its line ends and, unless `limit` is nil, also where a line would become wider than `limit` points.
  init(_ text: String, face: FontFace, paragraph: ParagraphAttributes, width limit: CGFloat? = nil) {
    self.face = face
    let metrics = face.metrics
    var texts: [String] = []
    // Not split at "\n" alone: "\r\n" is a character of its own.
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      texts +=
        limit.map { LineBreaks(width: $0, measure: face.advance).lines(of: String(line), mode: paragraph.lineBreakMode) } ?? [String(line)]
    }
    let widths = texts.map { face.advance(of: $0) }
    let widest = widths.max() ?? 0
    let distance = metrics.lineHeight + max(0, paragraph.lineSpacing)
    for (index, text) in texts.enumerated() {
      let room = (limit ?? widest) - widths[index]
      let x: CGFloat
      switch paragraph.alignment {
      case .left, .natural, .justified: x = 0
      case .center: x = room / 2
      case .right: x = room
      }
      lines.append(TextLine(text: text, origin: CGPoint(x: x, y: metrics.ascent + CGFloat(index) * distance), width: widths[index]))
    }
    guard !text.isEmpty else { return }
    size = CGSize(width: widest, height: CGFloat(lines.count - 1) * distance + metrics.lineHeight)
  }
}

/// Breaks one line of text into lines that are at most `width` points wide.
struct LineBreaks {
  let width: CGFloat
  /// Returns the width of a text in points.
  let measure: (String) -> CGFloat

  func lines(of text: String, mode: NSLineBreakMode) -> [String] {
    switch mode {
    case .byClipping: [text]
    case .byTruncatingHead, .byTruncatingMiddle, .byTruncatingTail: [truncated(text)]
    case .byWordWrapping: wrapped(text)
    case .byCharWrapping: broken(text)
    }
  }

  private func fits(_ text: some StringProtocol) -> Bool { measure(String(text)) <= width + 1e-6 }

  private func truncated(_ text: String) -> String {
    if fits(text) { return text }
    return String(text.prefix(largest(upTo: text.count) { fits(text.prefix($0) + "…") })) + "…"
  }

  /// Breaks between words, as many words as fit in each line; a word that is wider than a line is broken between characters.
  private func wrapped(_ text: String) -> [String] {
    var result: [String] = []
    var line = ""
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let longer = line.isEmpty ? String(word) : line + " " + word
      if fits(longer) {
        line = longer
        continue
      }
      if !line.isEmpty { result.append(line) }
      var pieces = broken(String(word))
      line = pieces.removeLast()
      result += pieces
    }
    return result + [line]
  }

  /// Breaks between characters, as many characters as fit in each line, but at least one. Returns at least one line.
  private func broken(_ text: String) -> [String] {
    var result: [String] = []
    var rest = Substring(text)
    while case let line = firstLine(of: rest), line.endIndex < rest.endIndex {
      result.append(String(line))
      rest = rest[line.endIndex...]
    }
    return result + [String(rest)]
  }

  /// The beginning of a text that fits in a line, at least one character. Beginnings of twice the length are tried until one doesn't fit: measuring
  /// the whole text for each line would take time by the square of its length.
  private func firstLine(of text: Substring) -> Substring {
    var (fitting, tried) = (0, 1)
    while case let beginning = text.prefix(tried), fits(beginning) {
      if beginning.endIndex == text.endIndex { return text }
      (fitting, tried) = (tried, tried * 2)
    }
    return text.prefix(max(1, fitting + largest(upTo: tried - 1 - fitting) { fits(text.prefix(fitting + $0)) }))
  }

  /// The largest number up to `most` for which `fits` is true, by binary search.
  private func largest(upTo most: Int, _ fits: (Int) -> Bool) -> Int {
    var (low, high) = (0, most)
    while low < high {
      let middle = (low + high + 1) / 2
      if fits(middle) { low = middle } else { high = middle - 1 }
    }
    return low
  }
}
