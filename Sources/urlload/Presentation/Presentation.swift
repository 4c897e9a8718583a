import Foundation
import LoadingModel
import URLLoadingSystem

/// How bodies and heads are shown.
enum PrettyForm: String, Sendable, CaseIterable {
  case all
  case colors
  case format
  case none

  var indents: Bool { self == .all || self == .format }

  /// Whether colours are wanted is the user's word alone where it is given (https://no-color.org).
  var colours: Bool { (self == .all || self == .colors) && ProcessEnvironment.value("NO_COLOR")?.isEmpty != false }
}

/// How one body is shown to people: JSON and XML are formatted, what isn't text is held
/// back, and what is very long is cut.
struct Presentation: Sendable {
  private enum Kind {
    /// Nothing has come yet that tells whether it is text.
    case unknown
    case text
    case json(JSONFormatter)
    /// What has come of XML, which is shown when it is whole.
    case xml(Data)
  }

  /// Of a body whose length is known, so much is shown.
  static let longest: Int64 = 256 * 1024
  private static let sampleLength = 1024

  private let form: PrettyForm
  private let isTerminal: Bool
  private var kind: Kind
  /// What is left to be shown; nil without a limit.
  private var rest: Int64?
  private let length: Int64

  /// - Parameter isTerminal: Whether people read it; else nothing is held back or cut.
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

  /// Whether no more is shown.
  var isFull: Bool { rest == 0 }

  /// What is shown of a piece.
  /// - Throws: Where the body isn't text.
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
      // No more is held: it is shown as it is.
      let isTooLong = document.count > Presentation.longest
      kind = isTooLong ? .text : .xml(document)
      return isTooLong ? document : Data()
    }
    guard case .json(var formatter) = kind, form.indents || form.colours else { return piece }
    let shown = formatter.take(piece)
    kind = .json(formatter)
    return shown
  }

  /// What comes behind the body.
  mutating func end() -> Data {
    if case .xml(let document) = kind {
      kind = .text
      return XMLFormatter.formatted(document) ?? document
    }
    guard case .json(var formatter) = kind, form.indents || form.colours else { return Data() }
    return formatter.end()
  }

  /// What to say of a body that was cut; nil of others.
  var hint: String? {
    isFull
      ? "urlload: cut after \(Quantity.bytes(Presentation.longest)) of \(Quantity.bytes(length)); -o FILE writes all of it to a file" : nil
  }
}

/// Heads in colours. Pure.
enum HeadColours {
  /// A head as it is received: lines that end with CR LF.
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
