#if Inspector
  import Foundation

  /// A JSON value whose objects keep the order of their members. `<` is written as an escape, so that the text can be embedded in an HTML page.
  indirect enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([(String, JSONValue)])

    /// The value as JSON, or `null` for nil.
    static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
    static func optional(_ number: Double?) -> JSONValue { number.map(JSONValue.number) ?? .null }
    static func optional(_ number: Int?) -> JSONValue { number.map { .int(Int64($0)) } ?? .null }

    var data: Data {
      var bytes: [UInt8] = []
      write(into: &bytes)
      return Data(bytes)
    }

    func write(into bytes: inout [UInt8]) {
      switch self {
      case .null: bytes.append(contentsOf: "null".utf8)
      case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
      case .int(let value): bytes.append(contentsOf: "\(value)".utf8)
      case .number(let value): bytes.append(contentsOf: JSONValue.text(of: value).utf8)
      case .string(let value): JSONValue.write(value, into: &bytes)
      case .array(let values):
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
          if index > 0 { bytes.append(UInt8(ascii: ",")) }
          value.write(into: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
      case .object(let members):
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
          if index > 0 { bytes.append(UInt8(ascii: ",")) }
          JSONValue.write(member.0, into: &bytes)
          bytes.append(UInt8(ascii: ":"))
          member.1.write(into: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
      }
    }

    private static func text(of value: Double) -> String {
      guard value.isFinite else { return "null" }
      if let whole = Int64(exactly: value) { return "\(whole)" }
      return "\(value)"
    }

    private static func write(_ text: String, into bytes: inout [UInt8]) {
      bytes.append(UInt8(ascii: "\""))
      for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
          bytes.append(UInt8(ascii: "\\"))
          bytes.append(byte)
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0..<0x20, UInt8(ascii: "<"), 0x7F:
          let digits = String(byte, radix: 16)
          bytes.append(contentsOf: "\\u00\(digits.count == 1 ? "0" : "")\(digits)".utf8)
        default: bytes.append(byte)
        }
      }
      bytes.append(UInt8(ascii: "\""))
    }
  }
#endif
