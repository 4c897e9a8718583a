import LoadingModel
import ProtocolRules

/// A decoded field of a response, with the result of RFC 9113's checks: they are made once, when a field enters a table.
struct HPACKField {
  enum Kind: Equatable {
    case regular
    case status(Int)
    /// A pseudo-header field that responses don't have, or with a value it can't have (RFC 9113, 8.3).
    case wrongPseudo
    /// Characters that aren't allowed in the name, such as upper case, or in the value (8.2.1).
    case malformed
    /// A connection-specific field of HTTP/1.1, which HTTP/2 forbids (8.2.2).
    case connectionSpecific
  }

  let name: String
  let value: String
  let kind: Kind

  /// As it counts for the table and for the size of a field section (RFC 7541, 4.1).
  var size: Int { name.utf8.count + value.utf8.count + HPACKField.overhead }
  static let overhead = 32

  init(name: String, value: String) {
    self.name = name
    self.value = value
    kind = HPACKField.judge(name, value)
  }

  private static func judge(_ name: String, _ value: String) -> Kind {
    if name.utf8.first == UInt8(ascii: ":") {
      guard name == ":status", value.utf8.count == 3, let status = FieldSyntaxRules.decimal(value.utf8), status >= 100 else {
        return .wrongPseudo
      }
      return .status(Int(status))
    }
    guard !name.isEmpty, name.utf8.allSatisfy({ FieldSyntaxRules.isTokenByte($0) && !(0x41...0x5A).contains($0) }), isValue(value) else {
      return .malformed
    }
    switch name {
    case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade": return .connectionSpecific
    default: return .regular
    }
  }

  /// RFC 9113, 8.2.1: no NUL, CR, LF; no space or tab at either end.
  private static func isValue(_ value: String) -> Bool {
    guard let first = value.utf8.first, let last = value.utf8.last else { return true }
    if first == 0x20 || first == 0x09 || last == 0x20 || last == 0x09 { return false }
    var isDangerous = false
    for byte in value.utf8 { isDangerous = isDangerous || byte == 0x0D || byte == 0x0A || byte == 0 }
    return !isDangerous
  }
}
