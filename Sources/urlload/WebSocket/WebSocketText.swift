import Foundation
import URLLoadingSystem

/// Messages as they are written to standard output. Pure.
enum WebSocketText {
  private static let digits = Array("0123456789abcdef".utf8)

  /// - Parameter showsToSomebody: Whether the output is a terminal, which control characters in messages mustn't control.
  static func bytes(of message: URLSessionWebSocketTask.Message, _ content: WebSocketOptions.Content, showsToSomebody: Bool) -> Data {
    switch (message, content) {
    case (.string(let text), _) where showsToSomebody: Data((harmless(text) + "\n").utf8)
    case (.string(let text), .lines): Data((text + "\n").utf8)
    case (.string(let text), .bytes): Data(text.utf8)
    case (.data(let data), .bytes) where !showsToSomebody: data
    case (.data(let data), _): hexadecimal(data)
    }
  }

  /// The mark before a line that the user types, or has sent.
  static func sentMark(_ form: PrettyForm) -> String { mark(">", form, \.name) }

  /// A received message on a terminal: JSON formatted, binary data in hexadecimal and as text.
  static func shown(_ message: URLSessionWebSocketTask.Message, _ form: PrettyForm) -> String {
    let mark = mark("<", form, \.string)
    switch message {
    case .data(let data): return "\(mark)\(data.count) bytes\n" + TraceFile.text(of: [UInt8](data), .hex)
    case .string(let text):
      guard form != .none, isJSON(text) else { return mark + harmless(text) + "\n" }
      var formatter = JSONFormatter(indents: form.indents, theme: form.colours ? .ofTerminal : nil)
      let shown = formatter.take(Data(text.utf8)) + formatter.end()
      return mark + String(decoding: shown, as: UTF8.self)
    @unknown default: return ""
    }
  }

  private static func mark(_ text: String, _ form: PrettyForm, _ colour: KeyPath<Theme, String>) -> String {
    guard form.colours else { return "\(text) " }
    let theme = Theme.ofTerminal
    return "\(theme[keyPath: colour])\(text)\(theme.end) "
  }

  private static func isJSON(_ text: String) -> Bool {
    guard let first = text.first(where: { !$0.isWhitespace }), first == "{" || first == "[" else { return false }
    return (try? JSONSerialization.jsonObject(with: Data(text.utf8))) != nil
  }

  /// The text's lines, without control characters that could control the terminal.
  private static func harmless(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { Printable.text(String($0)) }.joined(separator: "\n")
  }

  private static func hexadecimal(_ data: Data) -> Data {
    var line = Data(capacity: data.count * 2 + 1)
    for byte in data {
      line.append(digits[Int(byte >> 4)])
      line.append(digits[Int(byte & 15)])
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }
}

/// Failures of a WebSocket session, with messages.
enum WebSocketFailure {
  /// - Parameter ownCode: The code with which this side has closed the WebSocket; nil if it hasn't.
  static func failure(_ error: any Error, _ task: URLSessionWebSocketTask, ownCode: Int?, hasOpened: Bool) -> ToolFailure {
    let code = (error as NSError).code
    if (error as NSError).domain == NSPOSIXErrorDomain, code == Int(EMSGSIZE) {
      let limit = task.maximumMessageSize
      return ToolFailure(.tooMuchData, "the server sent a message of more than \(limit) bytes; allow more with --max-size")
    }
    if ownCode != nil, code == NSURLErrorCancelled {
      return ToolFailure(.timedOut, "the server hasn't answered the close frame; what it still had to say is lost")
    }
    guard !hasOpened, let http = task.response as? HTTPURLResponse, http.statusCode != 101 else { return ToolFailure(error) }
    let answer = "the server answered \(http.statusCode) (\(HTTPURLResponse.localizedString(forStatusCode: http.statusCode)))"
    return switch http.statusCode {
    case 401: ToolFailure(.loginDenied, "\(answer) instead of opening a WebSocket; give a login with -u")
    default: ToolFailure(.badResponse, "\(answer) instead of opening a WebSocket; check the address")
    }
  }
}
