import Foundation
import LoadingModel
import ProtocolRules

/// The proxies of a background session: those of the app's configuration, or the app's environment variables that name proxies.
struct BackgroundProxies: Codable, Sendable {
  private struct Entry: Codable, Sendable {
    let kind: Kind
    let host: String
    let port: UInt16
    let user: String?
    let password: String?
    let allowsFailover: Bool
    let domains: [String]
    let excluded: [String]
  }

  private enum Kind: String, Codable, Sendable {
    case http
    case https
    case socks
    /// A MASQUE relay or oblivious HTTP, which the engine doesn't support: loads with it fail.
    case relay
  }

  /// Environment variables that determine the desktop and the location of its proxy settings.
  private static let desktopVariables: Set = ["XDG_CURRENT_DESKTOP", "XDG_CONFIG_HOME", "HOME"]

  private let entries: [Entry]
  /// `connectionProxyDictionary` as a property list.
  private let dictionary: Data?
  /// The environment variables of the app by which proxies are found, of a desktop's settings too; empty if the configuration names proxies.
  private let environment: [String: String]

  init(_ configuration: URLSessionConfiguration) {
    entries = configuration.proxyConfigurations.map { BackgroundProxies.entry($0) }
    dictionary = configuration.connectionProxyDictionary.flatMap { BackgroundProxies.list($0) }
    let namesProxies = entries.isEmpty && dictionary == nil
    environment = ProcessEnvironment.variables.filter {
      namesProxies && ($0.key.lowercased().hasSuffix("_proxy") || BackgroundProxies.desktopVariables.contains($0.key))
    }
  }

  /// The dictionary as a property list. Values that can't be in one, such as an optional that is nil, must not cost the app its proxies: an empty list,
  /// which no key takes for a host, port or login, is sent in their place.
  private static func list(_ dictionary: [AnyHashable: Any]) -> Data? {
    let values = ProxySettings.values(of: dictionary).mapValues { value -> Any in
      switch value {
      case .number(let number): number
      case .text(let text): text
      case .list(let list): list
      case .other: [String]()
      }
    }
    return try? PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
  }

  private static func entry(_ proxy: ProxyConfiguration) -> Entry {
    let (kind, endpoint): (Kind, NWEndpoint?) =
      switch proxy.kind {
      case .httpConnect(let endpoint, let options): (options == nil ? .http : .https, endpoint)
      case .socksv5(let endpoint): (.socks, endpoint)
      case .relay, .obliviousHTTP: (.relay, nil)
      }
    var (host, port): (String, UInt16) = ("", 0)
    if case .hostPort(let name, let number)? = endpoint { (host, port) = (name.name, number.rawValue) }
    return Entry(
      kind: kind, host: host, port: port, user: proxy.credential?.username, password: proxy.credential?.password,
      allowsFailover: proxy.allowFailover, domains: proxy.matchDomains, excluded: proxy.excludedDomains)
  }

  /// Sets the proxies in the configuration of the daemon's session.
  func apply(to configuration: URLSessionConfiguration) {
    if !entries.isEmpty {
      configuration.proxyConfigurations = entries.map { BackgroundProxies.proxy($0) }
    } else if let dictionary {
      let isSound = BinaryPropertyList.isSound(dictionary)
      let read = isSound ? try? PropertyListSerialization.propertyList(from: dictionary, options: [], format: nil) : nil
      configuration.connectionProxyDictionary = (read as? [String: Any]) ?? [:]
    } else {
      configuration.proxySettings = ProxySettings(ofApp: environment)
    }
  }

  private static func proxy(_ entry: Entry) -> ProxyConfiguration {
    let endpoint = NWEndpoint.hostPort(host: NWEndpoint.Host(entry.host), port: NWEndpoint.Port(rawValue: entry.port) ?? .any)
    var proxy: ProxyConfiguration =
      switch entry.kind {
      case .http: ProxyConfiguration(httpCONNECTProxy: endpoint)
      case .https: ProxyConfiguration(httpCONNECTProxy: endpoint, tlsOptions: .init())
      case .socks: ProxyConfiguration(socksv5Proxy: endpoint)
      case .relay: ProxyConfiguration(relayHops: [])
      }
    if let user = entry.user { proxy.applyCredential(username: user, password: entry.password ?? "") }
    proxy.allowFailover = entry.allowsFailover
    proxy.matchDomains = entry.domains
    proxy.excludedDomains = entry.excluded
    return proxy
  }
}
