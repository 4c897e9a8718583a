import LoadingModel

/// Checks the parts of a request's head before it is sent, so that text of the app can't become a second request on the wire.
package enum FieldSyntaxRules {
  /// Whether `text` is a token (RFC 9110, 5.6.2): one or more letters, digits and ``!#$%&'*+-.^_`|~``.
  package static func isToken(_ text: String) -> Bool {
    !text.isEmpty && bytes(of: text, allSatisfy: isTokenByte)
  }

  /// Whether `byte` is a tchar (RFC 9110, 5.6.2).
  package static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x61...0x7A, 0x41...0x5A, 0x30...0x39: true
    // ! # $ % & ' * + - . ^ _ ` | ~
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }

  /// Whether `text` can be sent as a field value.
  ///
  /// RFC 9110, 5.5: "Field values containing CR, LF, or NUL characters are invalid and dangerous". Other control characters are sent as the app
  /// gave them.
  package static func isFieldValue(_ text: String) -> Bool {
    bytes(of: text) { $0 != 0x0D && $0 != 0x0A && $0 != 0x00 }
  }

  /// `text` as a single line: RFC 9112, 5.2 has each line break that white space follows replaced by spaces.
  /// - Returns: nil if `text` has NUL, or a line break without white space after it, which would end the field.
  package static func unfolded(_ text: String) -> String? {
    guard !isFieldValue(text) else { return text }
    var lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
    let first = lines.removeFirst()
    guard lines.allSatisfy({ $0.utf8.first == 0x20 || $0.utf8.first == 0x09 }) else { return nil }
    let unfolded = ([first] + lines).map { String($0.trimmingSpaces()) }.joined(separator: " ")
    return isFieldValue(unfolded) ? unfolded : nil
  }

  /// Whether `text` can be sent as `Host` (RFC 9110, 7.2: `uri-host [ ":" port ]`): without a list, path, user or white space.
  package static func isHostValue(_ text: String) -> Bool {
    !text.isEmpty
      && bytes(of: text) { byte in
        switch byte {
        case 0x00...0x20, 0x7F...0xFF: false
        case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: ","): false
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): false
        default: true
        }
      }
  }

  /// Whether `text` can be a request target (RFC 9112, 3.2: "No whitespace is allowed in the request-target").
  package static func isRequestTarget(_ text: String) -> Bool {
    !text.isEmpty && bytes(of: text) { $0 > 0x20 && $0 < 0x7F }
  }

  /// Refuses a header field that would break the request head. The error names the field, never its value.
  package static func checkField(name: String, value: String) throws(LoadError) {
    guard isToken(name) else {
      throw LoadError(.badURL, .send, "the header field name \"\(printable(name))\" isn't a valid HTTP token: rename or remove the field")
    }
    guard isFieldValue(value) else {
      throw LoadError(.badURL, .send, "the value of the header field \"\(printable(name))\" has a line break or NUL: remove it")
    }
  }

  /// Refuses the request if its method or one of its header fields can't be sent.
  package static func check(_ request: LoadRequest) throws(LoadError) {
    try MethodRules.check(request.method)
    for (name, value) in request.headers.entries { try checkField(name: name, value: value) }
  }

  /// The number in `digits` (RFC 9110, 8.6: `1*DIGIT`, so no sign and no space); nil if it isn't one or exceeds 2^63 - 1.
  package static func decimal(_ digits: some Sequence<UInt8>) -> Int64? {
    var number: Int64?
    for byte in digits {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      let (shifted, tooBig) = (number ?? 0).multipliedReportingOverflow(by: 10)
      let (sum, overflow) = shifted.addingReportingOverflow(Int64(byte - 0x30))
      guard !tooBig, !overflow else { return nil }
      number = sum
    }
    return number
  }

  /// Whether `isAllowed` is true for all bytes. Reads the string's contiguous memory if it has any, as almost all do: these checks see every byte
  /// of every request head.
  // Inlined, so that `isAllowed` costs no call for each byte.
  @inline(__always)
  private static func bytes(of text: String, allSatisfy isAllowed: (UInt8) -> Bool) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isAllowed) } ?? text.utf8.allSatisfy(isAllowed)
  }

  /// At most 64 bytes of a field name, with everything but token characters replaced, so that a message can't carry a line break.
  static func printable(_ name: String) -> String {
    String(decoding: name.utf8.prefix(64).map { isTokenByte($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }
}
