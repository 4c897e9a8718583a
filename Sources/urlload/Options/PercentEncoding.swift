import Foundation
import ProtocolRules

/// Percent-encoding as curl writes it. Pure.
enum PercentEncoding {
  /// All but RFC 3986's unreserved characters encoded.
  static func text(_ text: String) -> String { Self.text(Array(text.utf8)) }

  static func text(_ bytes: some Sequence<UInt8>) -> String {
    var result = ""
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += byte < 16 ? "%0" + digits : "%" + digits
      }
    }
    return result
  }

  /// As a form has it: spaces are plus signs.
  static func form(_ bytes: some Sequence<UInt8>) -> String { text(bytes).replacing("%20", with: "+") }

  /// The URL of a text, in which the characters that no URL may contain are percent-encoded, and what is percent-encoded already stays as it
  /// is: a percent sign alone becomes "%25". nil if it isn't one.
  static func url(_ text: String) -> URL? { URL(string: LocationRules.encoded(text)) }
}
