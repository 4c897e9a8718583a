import LoadingModel

extension MIMEType {
  /// The type that `Content-Type` names, as the Fetch standard extracts it. Of several values, in separate fields or joined by commas, the last
  /// valid one counts, except "*/*"; if it has no charset, that of an earlier value with the same type counts. nil if none is valid.
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

  /// "type/subtype" as `Content-Type` names it; if no value is valid, the text of the first value before its parameters. nil if there is none.
  package static func lenientEssence(_ headers: HeaderFields) -> String? {
    named(by: headers)?.essence ?? headers.first("Content-Type").flatMap(lenientEssence)
  }

  /// Splits `text` at the commas that aren't inside quotation marks.
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
