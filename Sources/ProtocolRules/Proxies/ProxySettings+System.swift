import Foundation
import LoadingModel

// The system's proxy settings as a dictionary, in the form of `CFNetworkCopySystemProxySettings`.

extension ProxySettings {
  /// The settings with the keys of `connectionProxyDictionary`; without passwords, and without proxies that are only for certain hosts.
  package var systemDictionary: [String: Value] {
    var values: [String: Value] = [:]
    for entry in entries where entry.domains.isEmpty {
      guard case .success(let proxy) = entry.proxy else { continue }
      for name in ProxySettings.names(entry.families, proxy) where values[name + "Enable"] == nil {
        values[name + "Enable"] = .number(1)
        values[name + "Proxy"] = .text(proxy.host)
        values[name + "Port"] = .number(proxy.port)
      }
    }
    switch script {
    case .success(.url(let url)):
      values["ProxyAutoConfigEnable"] = .number(1)
      values["ProxyAutoConfigURLString"] = .text(url.absoluteString)
    case .success(.source(let source)):
      values["ProxyAutoConfigEnable"] = .number(1)
      values["ProxyAutoConfigJavaScript"] = .text(source)
    case .failure: values["ProxyAutoDiscoveryEnable"] = .number(1)
    case nil: break
    }
    if exceptions.simpleNames { values["ExcludeSimpleHostnames"] = .number(1) }
    let list = exceptions.patterns.flatMap(\.exceptions) + (exceptions.localHosts ? Exceptions.localEntries : [])
    if !list.isEmpty { values["ExceptionsList"] = .list(list) }
    return values
  }

  /// The beginnings of the keys' names for a proxy: one for each kind of URL; for a SOCKS proxy only "SOCKS".
  private static func names(_ families: Set<Family>, _ proxy: Proxy) -> [String] {
    guard proxy.kind.isHTTP else { return ["SOCKS"] }
    return [(Family.plain, "HTTP"), (.secure, "HTTPS"), (.ftp, "FTP")].filter { families.contains($0.0) }.map(\.1)
  }
}

extension ProxySettings.Exceptions {
  /// The hosts that `localHosts` means, as entries of `ExceptionsList`.
  fileprivate static let localEntries = [
    "localhost", "*.localhost", "*.local", "127.0.0.0/8", "169.254.0.0/16", "::1", "fe80::/10",
  ]
}
