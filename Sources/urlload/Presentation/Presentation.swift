import Foundation
import LoadingModel
import URLLoadingSystem

/// How bodies and heads are formatted (`--pretty`).
enum PrettyForm: String, Sendable, CaseIterable {
  case all
  case colors
  case format
  case none

  var indents: Bool { self == .all || self == .format }

  /// Whether colours are used: not if the variable NO_COLOR is set (https://no-color.org).
  var colours: Bool { (self == .all || self == .colors) && ProcessEnvironment.value("NO_COLOR")?.isEmpty != false }
}

/// Formats one body for standard output: JSON and XML are indented and coloured; on a terminal, binary data is refused and a very long body is cut.
struct Presentation: Sendable {
  private enum Kind {
    /// No bytes have come yet that show whether the body is text.
    case unknown
    case text
    case json(JSONFormatter)
    /// The XML received so far, which is written when it is complete.
    case xml(Data)
  }

  /// Maximum number of bytes that are shown of a body with known length.
  static let longest: Int64 = 256 * 1024
  private static let sampleLength = 1024

  private let form: PrettyForm
  private let isTerminal: Bool
  private var kind: Kind
  /// Bytes that may still be shown; nil for no limit.
  private var rest: Int64?
  private let length: Int64

  /// - Parameter isTerminal: Whether the output is a terminal; otherwise binary data isn't refused, and nothing is cut.
  init(_ form: PrettyForm, isTerminal: Bool, _ response: URLResponse) {
    self.form = form
    self.isTerminal = isTerminal
    length = response.expectedContentLength
    let type = response.mimeType?.lowercased() ?? ""
    let isJSON = type == "application/json" || type.hasSuffix("+json") || type.hasSuffix("/x-ndjson") || type == "application/jsonl"
    let isXML =
      form.indents && length <= Presentation.longest && (type == "text/xml" || type == "application/xml" || type.hasSuffix("+xml"))
    kind =
      isJSON
      ? .json(JSONFormatter(indents: form.indents, theme: form.colours ? .ofTerminal : nil)) : isXML ? .xml(Data()) : .unknown
    rest = isTerminal && length > Presentation.longest ? Presentation.longest : nil
  }

  /// Whether the limit is reached, so that no more is shown.
  var isFull: Bool { rest == 0 }

  /// Formats the next piece of the body.
  /// - Throws: If the body is binary data and the output is a terminal.
  mutating func take(_ data: Data) throws(ToolFailure) -> Data {
    if case .unknown = kind {
      if isTerminal, data.prefix(Presentation.sampleLength).contains(0) {
        let size = length >= 0 ? " of \(Quantity.bytes(length))" : ""
        throw ToolFailure(
          .writeFailed, "the body\(size) isn't text, and isn't shown on a terminal; write it to a file with -o FILE, or show it with -o -")
      }
      kind = .text
    }
    var piece = data
    if let rest {
      piece = data.prefix(Int(min(rest, Int64(data.count))))
      self.rest = rest - Int64(piece.count)
    }
    if case .xml(let before) = kind {
      let document = before + piece
      // The XML has become too long to be held in memory: it is written unformatted.
      let isTooLong = document.count > Presentation.longest
      kind = isTooLong ? .text : .xml(document)
      return isTooLong ? document : Data()
    }
    guard case .json(var formatter) = kind, form.indents || form.colours else { return piece }
    let shown = formatter.take(piece)
    kind = .json(formatter)
    return shown
  }

  /// The end of the output, after the body.
  mutating func end() -> Data {
    if case .xml(let document) = kind {
      kind = .text
      return XMLFormatter.formatted(document) ?? document
    }
    guard case .json(var formatter) = kind, form.indents || form.colours else { return Data() }
    return formatter.end()
  }

  /// The message about a body that was cut; nil for others.
  var hint: String? {
    isFull
      ? "urlload: cut after \(Quantity.bytes(Presentation.longest)) of \(Quantity.bytes(length)); -o FILE writes all of it to a file" : nil
  }
}

/// Colours heads. Pure.
enum HeadColours {
  /// Colours a head with lines that end in CR LF.
  static func coloured(_ head: Data, _ theme: Theme) -> Data {
    let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
    let shown = lines.enumerated().map { index, line in
      if line.isEmpty { return line }
      if index == 0 { return theme.name + Printable.text(line) + theme.end }
      guard let colon = line.firstIndex(of: ":") else { return Printable.text(line) }
      return theme.number + Printable.text(String(line[..<colon])) + theme.end + Printable.text(String(line[colon...]))
    }
    return Data(shown.joined(separator: "\r\n").utf8)
  }
}
