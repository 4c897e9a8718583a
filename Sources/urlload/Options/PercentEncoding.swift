import Foundation
import ProtocolRules

/// Percent-encoding in curl's form. Pure.
enum PercentEncoding {
  /// Encodes all characters except the unreserved ones of RFC 3986.
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

  /// Encodes for a form (application/x-www-form-urlencoded): spaces become plus signs.
  static func form(_ bytes: some Sequence<UInt8>) -> String { text(bytes).replacing("%20", with: "+") }

  /// Makes a URL from a text: characters that no URL may contain are percent-encoded, existing encodings stay, and a lone percent sign becomes "%25".
  /// nil if the result isn't a URL.
  static func url(_ text: String) -> URL? { URL(string: LocationRules.encoded(text)) }
}
