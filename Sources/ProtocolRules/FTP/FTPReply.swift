/// One reply of an FTP server (RFC 959, 4.2).
package struct FTPReply: Sendable, Equatable {
  /// The reply code, 100…599.
  package let code: Int
  /// The text of each line, without code and line end.
  package let lines: [String]

  package init(code: Int, lines: [String]) {
    self.code = code
    self.lines = lines
  }

  /// The first line's text.
  package var text: String { lines.first ?? "" }
  /// Whether the reply is preliminary (1xx): the final one is still to come.
  package var isPreliminary: Bool { code < 200 }
  package var isCompletion: Bool { (200..<300).contains(code) }
}
