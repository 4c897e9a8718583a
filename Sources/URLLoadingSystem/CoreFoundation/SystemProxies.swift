import Foundation
import LoadingModel
import ProtocolRules

/// The proxies of the system, as sessions without settings of their own use them: those of the environment (`http_proxy` and so on), or else
/// of the desktop. Blocks while a desktop's settings are read, for at most 5 seconds.
///
/// Passwords aren't among them, nor are proxies that the desktop names for certain hosts only.
/// - Returns: A dictionary with the keys of `URLSessionConfiguration.connectionProxyDictionary`; empty if there are no proxies. Owned by the
///   caller: `takeRetainedValue()`.
public func CFNetworkCopySystemProxySettings() -> Unmanaged<CFDictionary>? {
  let settings = ProxySettings.system.systemDictionary.compactMapValues(\.publicValue)
  return Unmanaged.passRetained(settings as NSDictionary)
}

/// The proxies for a URL by certain settings, in the order in which they are tried.
///
/// - Parameters:
///   - url: Of any scheme. Those that proxies aren't for connect directly.
///   - proxySettings: From `CFNetworkCopySystemProxySettings()`, or with its keys.
/// - Returns: Dictionaries with the keys `kCFProxyTypeKey`, `kCFProxyHostNameKey` and `kCFProxyPortNumberKey`, or
///   `kCFProxyAutoConfigurationURLKey` for a script that is to be asked. Empty if the settings ask for a proxy and can't be understood: loads
///   fail then. Owned by the caller: `takeRetainedValue()`.
public func CFNetworkCopyProxiesForURL(_ url: CFURL, _ proxySettings: CFDictionary) -> Unmanaged<CFArray> {
  let settings = ProxySettings(publicDictionary: proxySettings as? [AnyHashable: Any] ?? [:])
  return Unmanaged.passRetained(settings.publicEntries(for: url as URL) as NSArray)
}

extension ProxySettings {
  fileprivate func publicEntries(for url: URL) -> [[String: Any]] {
    guard let origin = Target(url)?.origin else { return [[kCFProxyTypeKey: kCFProxyTypeNone]] }
    do throws(LoadError) {
      switch try choice(for: origin) {
      case .routes(let routes): return routes.map { $0.publicEntry(for: origin) }
      case .script(.url(let script)):
        return [[kCFProxyTypeKey: kCFProxyTypeAutoConfigurationURL, kCFProxyAutoConfigurationURLKey: script as NSURL]]
      case .script(.source(let source)):
        return [[kCFProxyTypeKey: kCFProxyTypeAutoConfigurationJavaScript, kCFProxyAutoConfigurationJavaScriptKey: source]]
      }
    } catch {
      return []
    }
  }
}

extension Route {
  fileprivate func publicEntry(for origin: Origin) -> [String: Any] {
    guard let proxy else { return [kCFProxyTypeKey: kCFProxyTypeNone] }
    var entry: [String: Any] = [
      kCFProxyTypeKey: proxy.publicType(for: origin), kCFProxyHostNameKey: proxy.host, kCFProxyPortNumberKey: proxy.port,
    ]
    if let login = proxy.login {
      entry[kCFProxyUsernameKey] = login.user
      entry[kCFProxyPasswordKey] = login.password
    }
    return entry
  }
}

extension Proxy {
  fileprivate func publicType(for origin: Origin) -> String {
    guard kind.isHTTP else { return kCFProxyTypeSOCKS }
    return switch origin.scheme {
    case "ftp", "ftps": kCFProxyTypeFTP
    case "http", "ws": kCFProxyTypeHTTP
    default: kCFProxyTypeHTTPS
    }
  }
}

extension ProxySettings.Value {
  fileprivate var publicValue: Any? {
    switch self {
    case .number(let number): number
    case .text(let text): text
    case .list(let list): list
    case .other: nil
    }
  }
}
