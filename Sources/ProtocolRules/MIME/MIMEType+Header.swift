import LoadingModel

extension MIMEType {
  /// The type that header fields name, as the Fetch standard extracts it: of several values, in fields of their own or joined by commas, the
  /// last valid one counts, "*/*" aside; a character set named before for the same type holds on. nil if none is valid.
  package static func named(by headers: HeaderFields) -> MIMEType? {
    guard let text = headers.joined("Content-Type") else { return nil }
    guard text.utf8.contains(UInt8(ascii: ",")) else { return MIMEType(text).flatMap { $0.essence == "*/*" ? nil : $0 } }
    var named: MIMEType?
    var charset: Parameter?
    for value in values(of: text) {
      guard let type = MIMEType(value), type.essence != "*/*" else { continue }
      if type.essence != named?.essence { charset = nil }
      if let own = type.parameters.first(where: { $0.name == "charset" }) {
        charset = own
        named = type
      } else {
        named = MIMEType(type: type.type, subtype: type.subtype, parameters: type.parameters + [charset].compactMap(\.self))
      }
    }
    return named
  }

  /// What header fields say about the type: the essence, or where no value is valid, the text of the first before its parameters.
  package static func lenientEssence(_ headers: HeaderFields) -> String? {
    named(by: headers)?.essence ?? headers.first("Content-Type").flatMap(lenientEssence)
  }

  /// The values between the commas that aren't inside quotation marks.
  private static func values(of text: String) -> [String] {
    let bytes = Array(text.utf8)
    var values: [ArraySlice<UInt8>] = []
    var start = 0
    var (isQuoted, isEscaped) = (false, false)
    for (index, byte) in bytes.enumerated() {
      if isEscaped {
        isEscaped = false
      } else if isQuoted, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if byte == UInt8(ascii: ","), !isQuoted {
        values.append(bytes[start..<index])
        start = index + 1
      }
    }
    values.append(bytes[start...])
    return values.map { String(decoding: $0, as: UTF8.self) }
  }
}
