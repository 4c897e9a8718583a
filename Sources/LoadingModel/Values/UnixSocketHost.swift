import Foundation

/// Encodes the path of a Unix socket as the host of an origin, for URLs of the schemes `http+unix`, `https+unix`, `ws+unix` and `wss+unix`.
///
/// Whatever is kept by host, such as connections and cookies, is thereby kept by path. Each path has exactly one form, which no host name has:
/// lower case, percent-encoded, also where URLs may leave bytes unencoded. It has no dot, so that no part of it looks like a domain.
package enum UnixSocketHost {
  /// The server's name in `Host` and in TLS.
  package static let serverName = "localhost"
  private static let suffix = "+unix"

  /// `scheme`, which is in lower case, without "+unix"; nil if it isn't one of the four.
  static func plainScheme(_ scheme: String) -> String? {
    guard scheme.utf8.last == UInt8(ascii: "x"), scheme.hasSuffix(suffix) else { return nil }
    let plain = String(scheme.dropLast(suffix.count))
    return ["http", "https", "ws", "wss"].contains(plain) ? plain : nil
  }

  /// Whether a URL's scheme, in lower case, is one of those that name a Unix socket.
  package static func isScheme(_ scheme: String) -> Bool { plainScheme(scheme) != nil }

  /// Whether an origin's host is the encoded path of a Unix socket: it begins with "%", as no name or address does.
  package static func isOne(_ host: String) -> Bool { host.utf8.first == UInt8(ascii: "%") }

  /// The decoded path, or "@" and the name of an abstract socket; nil for any other host.
  static func path(of host: String) -> String? { isOne(host) ? host.removingPercentEncoding : nil }

  /// The encoded path from the percent-encoded host of a URL; nil unless that is an absolute path, or "@" and a name.
  static func host(encoded: String) -> String? {
    guard let path = encoded.removingPercentEncoding, path.utf8.count > 1, let first = path.utf8.first,
      first == UInt8(ascii: "/") || first == UInt8(ascii: "@"), !path.utf8.contains(0)
    else { return nil }
    return host(path)
  }

  private static func host(_ path: String) -> String {
    var host = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        host.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16)
        host += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return host
  }
}
