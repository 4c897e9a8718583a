import Foundation

/// A drawn picture with what only its document can say. A value.
struct SVGDocument {
  private var text: String

  init(_ text: String) { self.text = text }

  var data: Data { Data(text.utf8) }

  /// Says what it shows in words, for readers who don't see it.
  mutating func describe(title: String, _ description: String) {
    add("<title>\(SVGDocument.escaped(title))</title>\n<desc>\(SVGDocument.escaped(description))</desc>")
    text = text.replacingOccurrences(of: "<svg ", with: "<svg role=\"img\" ")
  }

  /// Has other colors where the reader's theme is dark: rules of a style sheet precede attributes.
  mutating func adapt(_ tones: [Tone]) {
    let rules = tones.map { "  [fill=\"\($0.light)\"] { fill: \($0.dark) } [stroke=\"\($0.light)\"] { stroke: \($0.dark) }\n" }
    add("<style>@media (prefers-color-scheme: dark) {\n\(rules.joined())}</style>")
  }

  /// Adds elements in front of the others.
  private mutating func add(_ markup: String) {
    guard let end = text.firstIndex(of: ">") else { return }
    text.insert(contentsOf: "\n\(markup)", at: text.index(after: end))
  }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;").replacingOccurrences(
      of: ">", with: "&gt;")
  }
}
