import LoadingModel

/// Parses `data:` URLs (RFC 2397, by the precise steps of the Fetch standard).
package enum DataURL {
  /// The type and the decoded body of `urlString`; nil if it isn't a `data:` URL, has no comma, or its base64 is broken.
  ///
  /// `mimeType` is lower-case and without parameters, `charset` the parameter of this name. If the URL has no usable type they are "text/plain"
  /// and "US-ASCII".
  package static func parse(_ urlString: String) -> (mimeType: String, charset: String?, body: [UInt8])? {
    guard let (type, body) = process(urlString) else { return nil }
    return (type.essence, type.parameter("charset"), body)
  }

  /// As `parse`, with the whole MIME type.
  package static func process(_ urlString: String) -> (type: MIMEType, body: [UInt8])? {
    guard let content = content(urlString), let comma = content.firstIndex(of: UInt8(ascii: ",")) else { return nil }
    var type = trimmed(percentEncoded(content[..<comma]))
    var body = percentDecoded(content[(comma + 1)...])
    if let end = endBeforeBase64(type) {
      guard let decoded = ForgivingBase64.decode(body) else { return nil }
      body = decoded
      type = type[..<end]
    }
    let prefix = type.first == UInt8(ascii: ";") ? "text/plain" : ""
    return (MIMEType(prefix + String(decoding: type, as: UTF8.self)) ?? fallback, body)
  }

  private static let fallback = MIMEType(type: "text", subtype: "plain", parameters: [.init(name: "charset", value: "US-ASCII")])

  /// The bytes between scheme and fragment, after the steps of the URL parser that change the outcome; nil if `urlString` isn't a `data:` URL.
  private static func content(_ urlString: String) -> ArraySlice<UInt8>? {
    // The URL parser strips controls and spaces around its input, and tabs and line breaks everywhere in it.
    var bytes = urlString.utf8.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }[...]
    while let first = bytes.first, first <= 0x20 { bytes.removeFirst() }
    while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
    guard bytes.count >= 5, String(decoding: bytes.prefix(5), as: UTF8.self).isField("data:") else { return nil }
    bytes = bytes.dropFirst(5)
    if let hash = bytes.firstIndex(of: UInt8(ascii: "#")) { bytes = bytes[..<hash] }
    return hasValidAuthority(bytes) ? bytes : nil
  }

  /// Whether the URL parser accepts the content: "data://host:port/…" is read by the authority parser, which refuses a port that isn't a number
  /// up to 65535.
  private static func hasValidAuthority(_ content: ArraySlice<UInt8>) -> Bool {
    guard content.starts(with: "//".utf8) else { return true }
    let authority = content.dropFirst(2).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority
    let bracket = host.lastIndex(of: UInt8(ascii: "]")) ?? host.startIndex
    guard let colon = host[bracket...].lastIndex(of: UInt8(ascii: ":")) else { return true }
    let port = host[(colon + 1)...]
    return port.isEmpty || FieldSyntaxRules.decimal(port).map { $0 <= 65535 } == true
  }

  /// The bytes as the URL parser encodes them: controls and non-ASCII bytes; after a question mark also space, quote and angle brackets.
  private static func percentEncoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var isQuery = false
    var result: [UInt8] = []
    for byte in bytes {
      let isQueryOnly = byte == 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
      if byte < 0x20 || byte > 0x7E || (isQuery && isQueryOnly) {
        result += [UInt8(ascii: "%"), HexDigit.digit(byte >> 4), HexDigit.digit(byte)]
      } else {
        result.append(byte)
      }
      if byte == UInt8(ascii: "?") { isQuery = true }
    }
    return result
  }

  private static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex,
        let high = HexDigit.value(bytes[index + 1]), let low = HexDigit.value(bytes[index + 2])
      {
        result.append(high << 4 | low)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }

  private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    var rest = bytes[...]
    while rest.first == 0x20 { rest.removeFirst() }
    while rest.last == 0x20 { rest.removeLast() }
    return rest
  }

  /// The index at which the type ends if a semicolon, optional spaces and "base64" follow it; nil if they don't.
  private static func endBeforeBase64(_ type: ArraySlice<UInt8>) -> Int? {
    guard String(decoding: type.suffix(6), as: UTF8.self).isField("base64") else { return nil }
    var rest = type.dropLast(6)
    while rest.last == 0x20 { rest.removeLast() }
    return rest.last == UInt8(ascii: ";") ? rest.endIndex - 1 : nil
  }
}
