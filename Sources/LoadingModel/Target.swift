import Foundation
import Synchronization

/// Scheme, host and port: what a connection belongs to (RFC 6454, 4).
package struct Origin: Sendable, Hashable {
  /// Lower case.
  package let scheme: String
  /// Lower case, without the brackets of an IPv6 literal.
  package let host: String
  package let port: Int

  package init(scheme: String, host: String, port: Int) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  package var isSecure: Bool { scheme == "https" || scheme == "wss" }

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

/// A URL taken apart for HTTP: where to connect and what to ask for.
package struct Target: Sendable, Hashable {
  package let origin: Origin
  /// Path and query, never empty: the origin-form of RFC 9112, 3.2.1.
  package let pathAndQuery: String
  /// Host as the `Host` field shows it: brackets kept, port only if it isn't the scheme's default.
  package let authority: String
  package let user: String?
  package let password: String?
  package let fragment: String?

  package init?(_ url: URL?) {
    guard let url, let scheme = url.scheme?.lowercased() else { return nil }
    let text = url.absoluteString
    guard let separator = text.range(of: "://") else { return nil }
    let rest = text[separator.upperBound...]
    let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
    var hostPart = rest[..<end]
    if let at = hostPart.lastIndex(of: "@") {
      let userInfo = hostPart[..<at]
      hostPart = hostPart[hostPart.index(after: at)...]
      let parts = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      user = parts.first.flatMap { String($0).removingPercentEncoding }
      password = parts.count > 1 ? String(parts[1]).removingPercentEncoding : nil
    } else {
      user = nil
      password = nil
    }
    guard let (host, explicitPort) = Target.splitPort(hostPart), !host.isEmpty else { return nil }
    let defaultPort = Origin.defaultPort(scheme: scheme)
    guard let port = explicitPort ?? defaultPort else { return nil }
    let shown = host.lowercased()
    let bare = shown.hasPrefix("[") ? String(shown.dropFirst().dropLast()) : shown
    origin = Origin(scheme: scheme, host: bare.removingPercentEncoding ?? bare, port: port)
    authority = port == defaultPort ? shown : "\(shown):\(port)"
    let tail = rest[end...]
    let hash = tail.firstIndex(of: "#")
    let resource = hash.map { tail[..<$0] } ?? tail
    fragment = hash.map { String(tail[tail.index(after: $0)...]) }
    switch resource.first {
    case "/": pathAndQuery = String(resource)
    case "?": pathAndQuery = "/" + resource
    default: pathAndQuery = "/"
    }
  }

  /// Host and port of an authority; nil if the port isn't a number in 0…65535.
  private static func splitPort(_ authority: Substring) -> (host: Substring, port: Int?)? {
    let searchStart = authority.lastIndex(of: "]") ?? authority.startIndex
    guard let colon = authority[searchStart...].lastIndex(of: ":") else { return (authority, nil) }
    let digits = authority[authority.index(after: colon)...]
    if digits.isEmpty { return (authority[..<colon], nil) }
    guard let port = UInt16(digits) else { return nil }
    return (authority[..<colon], Int(port))
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
