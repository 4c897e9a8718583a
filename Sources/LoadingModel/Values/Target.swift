import Foundation

/// Scheme, host and port of a URL (RFC 6454, 4); connections are made to an origin.
package struct Origin: Sendable, Hashable {
  /// The scheme in lower case.
  package let scheme: String
  /// The host in lower case, without the brackets of an IPv6 literal. For a Unix socket: its encoded path (`UnixSocketHost`).
  package let host: String
  package let port: Int
  /// Whether the server listens at a Unix socket of this machine. Only a URL's scheme says so, never the form of its host.
  package let isUnixSocket: Bool

  package init(scheme: String, host: String, port: Int, isUnixSocket: Bool = false) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.isUnixSocket = isUnixSocket
  }

  package var isSecure: Bool { scheme == "https" || scheme == "wss" }

  /// The origin with HTTP's scheme in place of a WebSocket's: the handshake goes to the same server (RFC 6455, 3).
  package var ofHTTP: Origin {
    let plain = scheme == "ws" ? "http" : scheme == "wss" ? "https" : scheme
    return plain == scheme ? self : Origin(scheme: plain, host: host, port: port, isUnixSocket: isUnixSocket)
  }

  /// The scheme of a stream task's origin: a plain connection without a URL, over which either side may send any bytes first.
  package static let streamScheme = "tcp"

  package var isStream: Bool { scheme == Origin.streamScheme }

  /// The path of the Unix socket; nil for all other origins.
  package var socketPath: String? { isUnixSocket ? UnixSocketHost.path(of: host) : nil }

  /// The server's name in TLS and in `Host`, without a port; for a Unix socket it is "localhost".
  package var serverName: String { isUnixSocket ? UnixSocketHost.serverName : host }

  /// The host without the zone of an IPv6 address, which is valid on this machine only. RFC 6874, 4: “An HTTP client, proxy, or other
  /// intermediary MUST remove any ZoneID attached to an outgoing URI”.
  package static func withoutZone(_ host: String) -> String {
    guard let zone = host.utf8.firstIndex(of: UInt8(ascii: "%")), host.utf8.contains(UInt8(ascii: ":")) else { return host }
    return String(host[..<zone])
  }

  package static func defaultPort(scheme: String) -> Int? {
    switch scheme {
    case "http", "ws": 80
    case "https", "wss": 443
    case "ftp": 21
    case "ftps": 990
    default: nil
    }
  }
}

/// A URL parsed for HTTP: the origin to connect to, and the resource to request. Immutable; a class, because every stage of a load uses it.
package final class Target: Sendable {
  package let origin: Origin
  /// Path and query, never empty: the request target in origin-form (RFC 9112, 3.2.1).
  package let pathAndQuery: String
  /// The value of the `Host` field: the host with brackets and without zone, and the port if it isn't the scheme's default.
  package let authority: String
  /// The authority in a form that is different for each server: for a Unix socket it contains the path, because `authority` is "localhost" for
  /// all of them; for an IPv6 address it contains the zone.
  package var ownAuthority: String { needsOrigin ? "\(origin.host):\(origin.port)" : authority }
  private let needsOrigin: Bool
  package let user: String?
  package let password: String?
  package let fragment: String?

  package init?(_ url: URL?) {
    guard let url else { return nil }
    var text = url.absoluteString
    let parts = text.withUTF8 { Parts($0) }
    guard let parts, let port = parts.port ?? Origin.defaultPort(scheme: parts.scheme) else { return nil }
    pathAndQuery = parts.resource
    user = parts.user?.removingPercentEncoding
    password = parts.password?.removingPercentEncoding
    fragment = parts.fragment
    guard !parts.isUnixSocket else {
      guard let host = UnixSocketHost.host(encoded: parts.host) else { return nil }
      origin = Origin(scheme: parts.scheme, host: host, port: port, isUnixSocket: true)
      let isUsual = port == Origin.defaultPort(scheme: parts.scheme)
      needsOrigin = true
      authority = isUsual ? UnixSocketHost.serverName : "\(UnixSocketHost.serverName):\(port)"
      return
    }
    let bare = parts.host.hasPrefix("[") ? String(parts.host.dropFirst().dropLast()) : parts.host
    let host = bare.contains("%") ? (bare.removingPercentEncoding ?? bare).lowercased() : bare
    // A host is refused that a resolver would read differently from the app, or that contains, once decoded, a byte that ends a host (the URL
    // standard's forbidden host code points). Only an address in brackets may have colons.
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !Target.delimiters.contains($0) }),
      !UnixSocketHost.isOne(host), parts.host.utf8.first == UInt8(ascii: "[") || !host.utf8.contains(where: Target.isForbidden)
    else { return nil }
    origin = Origin(scheme: parts.scheme, host: host, port: port)
    needsOrigin = parts.host.hasPrefix("[") && host.utf8.contains(UInt8(ascii: "%"))
    let shown = needsOrigin ? "[\(Origin.withoutZone(host))]" : parts.host
    authority = port == Origin.defaultPort(scheme: parts.scheme) ? shown : "\(shown):\(port)"
  }

  private static let delimiters = Array("/\\?#@".utf8)

  private static func isForbidden(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ":"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "^"),
      UInt8(ascii: "|"), UInt8(ascii: "%"):
      true
    default: false
    }
  }

  /// The parts of an absolute URL with an authority (RFC 3986, 3), found in one pass over its bytes.
  private struct Parts {
    /// The scheme in lower case, without "+unix".
    var scheme = ""
    var isUnixSocket = false
    /// The host in lower case; a Unix socket's keeps its case, which is that of a path.
    var host = ""
    var port: Int?
    var user: String?
    var password: String?
    var resource = "/"
    var fragment: String?

    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
      let slash = UInt8(ascii: "/")
      guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, colon + 2 < bytes.count, bytes[colon + 1] == slash,
        bytes[colon + 2] == slash
      else { return nil }
      scheme = Parts.lowercased(bytes[..<colon])
      if let plain = UnixSocketHost.plainScheme(scheme) { (scheme, isUnixSocket) = (plain, true) }
      let start = colon + 3
      let end = bytes[start...].firstIndex { $0 == slash || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count
      var authority = bytes[start..<end]
      if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
        let info = authority[..<at]
        let split = info.firstIndex(of: UInt8(ascii: ":")) ?? info.endIndex
        user = String(decoding: info[..<split], as: UTF8.self)
        if split < info.endIndex { password = String(decoding: info[(split + 1)...], as: UTF8.self) }
        authority = authority[(at + 1)...]
      }
      guard splitPort(authority) else { return nil }
      splitResource(bytes[end...])
    }

    /// Splits host and port. False if there is no host, or the port isn't a number in 0…65535.
    private mutating func splitPort(_ authority: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
      let searchStart = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
      var hostEnd = authority.endIndex
      if let colon = authority[searchStart...].lastIndex(of: UInt8(ascii: ":")) {
        hostEnd = colon
        let digits = authority[(colon + 1)...]
        if !digits.isEmpty {
          guard let number = UInt16(String(decoding: digits, as: UTF8.self)) else { return false }
          port = Int(number)
        }
      }
      let name = authority[..<hostEnd]
      host = isUnixSocket ? String(decoding: name, as: UTF8.self) : Parts.lowercased(name)
      return !host.isEmpty
    }

    private mutating func splitResource(_ tail: Slice<UnsafeBufferPointer<UInt8>>) {
      let hash = tail.firstIndex(of: UInt8(ascii: "#")) ?? tail.endIndex
      if hash < tail.endIndex { fragment = String(decoding: tail[(hash + 1)...], as: UTF8.self) }
      guard let first = tail.first, hash > tail.startIndex else { return }
      let text = String(decoding: tail[..<hash], as: UTF8.self)
      resource = first == UInt8(ascii: "?") ? "/" + text : text
    }

    private static func lowercased(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
      String(unsafeUninitializedCapacity: bytes.count) { target in
        var index = 0
        for byte in bytes {
          target[index] = byte.lowercasedASCII
          index += 1
        }
        return index
      }
    }
  }
}

/// A `Target` computed at most once per request value.
final class CachedTarget: Sendable {
  private enum State {
    case unknown
    case known(Target?)
  }
  private let state = Mutex(State.unknown)

  func value(_ compute: () -> Target?) -> Target? {
    if case .known(let target) = state.withLock({ $0 }) { return target }
    let target = compute()
    state.withLock { $0 = .known(target) }
    return target
  }
}
