import Foundation

/// The path of a Unix socket where an origin has its host, as URLs of the schemes `http+unix`, `https+unix`, `ws+unix` and `wss+unix` have it.
///
/// All that is kept by host is kept by path then. The form is one that no host has, and one for each path: in lower case, percent-encoded, also what
/// URLs may leave as it is. It has no dot, so that no part of it passes for a domain.
package enum UnixSocketHost {
  /// What the server is called in `Host` and in TLS.
  package static let serverName = "localhost"
  private static let suffix = "+unix"

  /// The scheme without "+unix", in lower case as it was given; nil if it doesn't end so.
  static func plainScheme(_ scheme: String) -> String? {
    guard scheme.utf8.last == UInt8(ascii: "x"), scheme.hasSuffix(suffix) else { return nil }
    let plain = String(scheme.dropLast(suffix.count))
    return ["http", "https", "ws", "wss"].contains(plain) ? plain : nil
  }

  /// Whether a URL's scheme, in lower case, is one of those that name a Unix socket.
  package static func isScheme(_ scheme: String) -> Bool { plainScheme(scheme) != nil }

  /// No name begins so, and no address.
  package static func isOne(_ host: String) -> Bool { host.utf8.first == UInt8(ascii: "%") }

  /// The path, or "@" and the name of an abstract socket; nil for the host of another origin.
  static func path(of host: String) -> String? { isOne(host) ? host.removingPercentEncoding : nil }

  /// From the host of a URL, percent-encoded; nil unless it is an absolute path, or "@" and a name.
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
