import Foundation
import LoadingModel

/// Parses proxies as settings write them.
package enum ProxyAddress {
  /// Parses “http://user:password@host:port”, “socks5h://host”, or “host:port” for an HTTP proxy, as in environment variables and `urlload
  /// --proxy`.
  ///
  /// - Parameter name: The name of the setting, for error messages.
  package static func parse(_ text: String, named name: String) -> Result<Proxy, LoadError> {
    var rest = text.trimmingSpaces()[...]
    var kind = Proxy.Kind.http
    if let end = rest.range(of: "://") {
      guard let named = Proxy.Kind(scheme: rest[..<end.lowerBound].lowercased()) else {
        // The message doesn't quote the setting, which may contain a password.
        return .failure(
          ProxySettings.unusable(
            "\(name) names a proxy of an unknown kind; use http://, https://, socks4://, socks4a://, socks5:// or socks5h://"))
      }
      kind = named
      rest = rest[end.upperBound...]
    }
    rest = rest.prefix { $0 != "/" }
    var login: Proxy.Login?
    if let at = rest.lastIndex(of: "@") {
      let info = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      rest = rest[rest.index(after: at)...]
      guard let user = info[0].removingPercentEncoding, let password = (info.count > 1 ? info[1] : "").removingPercentEncoding else {
        return .failure(ProxySettings.unusable("\(name) has a user name or password with a percent sign that isn't followed by two digits"))
      }
      if !user.isEmpty { login = Proxy.Login(user: user, password: password) }
    }
    guard let (host, port) = place(String(rest)) else {
      return .failure(ProxySettings.unusable("\(name) doesn't name a proxy as host:port; correct or remove it"))
    }
    return .success(Proxy(kind, host: host, port: port ?? kind.defaultPort, login: login))
  }

  /// Parses a setting that names a host without a port; nil if it isn't valid. Brackets are removed.
  package static func host(_ text: String) -> String? {
    guard let (host, port) = place(text.contains(":") && !text.hasPrefix("[") ? "[\(text)]" : text), port == nil else { return nil }
    return host
  }

  private static func place(_ text: String) -> (host: String, port: Int?)? {
    var host = text[...]
    var port: Int?
    let start = text.lastIndex(of: "]") ?? text.startIndex
    if let colon = text[start...].lastIndex(of: ":") {
      host = text[..<colon]
      guard let number = UInt16(text[text.index(after: colon)...]), number > 0 else { return nil }
      port = Int(number)
    }
    if host.hasPrefix("[") {
      guard host.hasSuffix("]"), let address = IPAddress(String(host.dropFirst().dropLast())), address.bytes.count == 16 else { return nil }
      host = host.dropFirst().dropLast()
    } else if !host.utf8.allSatisfy(isHostByte) {
      return nil
    }
    return host.isEmpty ? nil : (host.lowercased(), port)
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    default: false
    }
  }
}

extension Proxy.Kind {
  fileprivate init?(scheme: String) {
    switch scheme {
    case "http": self = .http
    case "https": self = .https
    case "socks4": self = .socks4
    case "socks4a": self = .socks4a
    case "socks5": self = .socks5
    case "socks5h", "socks": self = .socks5h
    default: return nil
    }
  }
}
