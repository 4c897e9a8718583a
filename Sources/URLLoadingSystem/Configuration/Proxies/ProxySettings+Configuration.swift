import Foundation
import LoadingModel
import ProtocolRules

// Converts a configuration's proxies for the engine: `proxyConfigurations` override `connectionProxyDictionary`; if neither is set, the environment's
// variables are used, and if they name none, the desktop's settings.

extension ProxySettings {
  init(_ configuration: URLSessionConfiguration) {
    if let own = configuration.proxySettings {
      self = own
      return
    }
    let entries = configuration.proxyConfigurations
    guard entries.isEmpty else {
      self.init()
      self.entries = entries.map { Entry($0) }
      return
    }
    guard let dictionary = configuration.connectionProxyDictionary else {
      self.init(environment: ProcessEnvironment.value)
      if isEmpty { desktop = DesktopProxies(environment: ProcessEnvironment.value) }
      return
    }
    self.init(publicDictionary: dictionary)
  }

  /// - Parameter dictionary: Keys are Apple's; values are numbers, strings and lists of any type.
  init(publicDictionary dictionary: [AnyHashable: Any]) {
    self.init(dictionary: ProxySettings.values(of: dictionary))
  }

  /// The dictionary's entries whose keys are strings.
  static func values(of dictionary: [AnyHashable: Any]) -> [String: Value] {
    var values: [String: Value] = [:]
    for (key, value) in dictionary {
      if let name = key.base as? String ?? (key.base as? NSString).map({ $0 as String }) { values[name] = Value(value) }
    }
    return values
  }

  /// The proxies of the environment, or if it names none, of the desktop's settings. Blocks while settings are read.
  package static var system: ProxySettings {
    let settings = ProxySettings(environment: ProcessEnvironment.value)
    guard settings.isEmpty, let desktop = DesktopProxies(environment: ProcessEnvironment.value) else { return settings }
    return desktop.read()
  }

  /// The proxies of an app whose transfers the daemon carries: those of its environment, or if it names none, of its desktop's settings.
  ///
  /// - Parameter environment: The app's environment variables.
  init(ofApp environment: [String: String]) {
    self.init(environment: { environment[$0] })
    guard isEmpty else { return }
    let proxies = environment.filter { $0.key.lowercased().hasSuffix("_proxy") }
    desktop = DesktopProxies(environment: { environment[$0] }, variables: proxies)
  }
}

extension ProxySettings.Value {
  fileprivate init(_ value: Any) {
    switch value {
    case let text as String: self = .text(text)
    case let flag as Bool: self = .number(flag ? 1 : 0)
    case let number as Int: self = .number(number)
    case let number as any BinaryInteger: self = .number(Int(clamping: number))
    case let number as NSNumber: self = .number(number.intValue)
    case let list as [String]: self = .list(list)
    case let list as [Any]: self = .list(list.compactMap { $0 as? String })
    case let text as NSString: self = .text(text as String)
    default: self = .other
    }
  }
}

extension ProxySettings.Entry {
  fileprivate init(_ configuration: ProxyConfiguration) {
    self.init(Set(ProxySettings.Family.allCases), Self.proxy(configuration))
    tunnelsEverything = true
    allowsFailover = configuration.allowFailover
    domains = configuration.matchDomains.map { HostPattern(domain: $0) }
    excluded = configuration.excludedDomains.map { HostPattern(domain: $0) }
    if case .obliviousHTTP(let hop, let path, let keys) = configuration.kind { relay = Self.relay(hop, path, keys) }
  }

  private static func relay(_ hop: ProxyConfiguration.RelayHop, _ path: String, _ keys: Data) -> Result<ObliviousRelay, LoadError> {
    // If both endpoints are given, they belong to one relay.
    guard case .hostPort(let host, let port)? = hop.http2Endpoint ?? hop.http3Endpoint, let name = ProxyAddress.host(host.name) else {
      return .failure(LoadError(.cannotConnectToHost, .connect, "a relay in proxyConfigurations has no usable host and port; correct it"))
    }
    do throws(LoadError) {
      return .success(
        try ObliviousRelay(
          host: name, port: Int(port.rawValue), path: path, fields: HeaderFields(hop.additionalHTTPHeaderFields.map { ($0.key, $0.value) }),
          gatewayKeys: keys, assumesHTTP3: hop.http3Endpoint != nil))
    } catch {
      return .failure(error)
    }
  }

  private static func proxy(_ configuration: ProxyConfiguration) -> Result<Proxy, LoadError> {
    let login = configuration.credential.map { Proxy.Login(user: $0.username, password: $0.password) }
    func proxy(_ kind: Proxy.Kind, _ endpoint: NWEndpoint) -> Result<Proxy, LoadError> {
      guard case .hostPort(let host, let port) = endpoint, let name = ProxyAddress.host(host.name), port.rawValue > 0 else {
        return .failure(LoadError(.cannotConnectToHost, .connect, "a proxy in proxyConfigurations has no usable host and port; correct it"))
      }
      return .success(Proxy(kind, host: name, port: Int(port.rawValue), login: login))
    }
    switch configuration.kind {
    case .httpConnect(let endpoint, let options): return proxy(options == nil ? .http : .https, endpoint)
    case .socksv5(let endpoint): return proxy(.socks5h, endpoint)
    case .relay:
      return .failure(
        LoadError(.cannotConnectToHost, .connect, "MASQUE relays in proxyConfigurations aren't supported; use a CONNECT proxy"))
    case .obliviousHTTP:
      return .failure(
        LoadError(
          .cannotConnectToHost, .connect, "an oblivious relay carries loads of http and https alone; exclude the host from its domains"))
    }
  }
}
