import Foundation
import LoadingModel
import ProtocolRules

/// The system's proxies, which sessions without proxy settings of their own use: those of the environment (`http_proxy` and so on), or if it names
/// none, those of the desktop. Blocks while a desktop's settings are read, for at most 5 seconds.
///
/// Passwords aren't included, nor are proxies that the desktop's settings name for certain hosts only.
/// - Returns: A dictionary with the keys of `URLSessionConfiguration.connectionProxyDictionary`; empty if there are no proxies. The caller owns it:
///   use `takeRetainedValue()`.
public func CFNetworkCopySystemProxySettings() -> Unmanaged<CFDictionary>? {
  let settings = ProxySettings.system.systemDictionary.compactMapValues(\.publicValue)
  return Unmanaged.passRetained(settings as NSDictionary)
}

/// The proxies for a URL by the given settings, in the order in which they are tried.
///
/// - Parameters:
///   - url: A URL of any scheme. If proxies don't serve its scheme, the only entry is `kCFProxyTypeNone`.
///   - proxySettings: From `CFNetworkCopySystemProxySettings()`, or a dictionary with the same keys.
/// - Returns: Dictionaries with the keys `kCFProxyTypeKey`, `kCFProxyHostNameKey` and `kCFProxyPortNumberKey`, or `kCFProxyAutoConfigurationURLKey`
///   for a configuration script that has to be evaluated. Empty if the settings ask for a proxy but can't be understood, so that loads would fail.
///   The caller owns it: use `takeRetainedValue()`.
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
