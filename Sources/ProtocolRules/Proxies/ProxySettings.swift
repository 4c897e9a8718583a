import Foundation
import LoadingModel

/// What a session has been told about proxies, and the route of a URL by it.
///
/// A setting that asks for a proxy and can't be understood makes the loads it is for fail: they never connect directly instead.
package struct ProxySettings: Sendable {
  /// URLs that are treated alike.
  package enum Family: Sendable, Hashable, CaseIterable {
    /// `http` and `ws`.
    case plain
    /// `https` and `wss`, and streams.
    case secure
    /// `ftp` and `ftps`.
    case ftp

    package init?(scheme: String) {
      switch scheme {
      case "http", "ws": self = .plain
      // A stream needs a tunnel, as https does.
      case "https", "wss", Origin.streamScheme: self = .secure
      case "ftp", "ftps": self = .ftp
      default: return nil
      }
    }
  }

  /// One way for some URLs.
  package struct Entry: Sendable {
    package var families = Set(Family.allCases)
    /// The proxy, or why there is none though one was asked for.
    package var proxy: Result<Proxy, LoadError>
    /// A relay of Oblivious HTTP in the place of a proxy: http and https loads go through it, others have the proxy's error.
    package var relay: Result<ObliviousRelay, LoadError>?
    /// Plain http uses a tunnel, too.
    package var tunnelsEverything = false
    /// The load may continue without this proxy if it can't be reached.
    package var allowsFailover = false
    /// Hosts it is for; empty for all.
    package var domains: [HostPattern] = []
    /// Hosts it isn't for, whatever `domains` says.
    package var excluded: [HostPattern] = []

    package init(_ families: Set<Family> = Set(Family.allCases), _ proxy: Result<Proxy, LoadError>) {
      self.families = families
      self.proxy = proxy
    }

    func serves(_ origin: Origin, _ family: Family) -> Bool {
      guard families.contains(family), !excluded.contains(where: { $0.matches(origin) }) else { return false }
      return domains.isEmpty || domains.contains { $0.matches(origin) }
    }
  }

  /// The hosts that are reached directly.
  package struct Exceptions: Sendable {
    package var patterns: [HostPattern] = []
    /// Names without a dot.
    package var simpleNames = false
    /// This machine itself, and the hosts of its own link.
    package var localHosts = false

    package init() {}

    func contains(_ origin: Origin) -> Bool {
      if patterns.contains(where: { $0.matches(origin) }) { return true }
      switch HostKind(origin.host) {
      case .address(let address): return localHosts && Exceptions.ownNetworks.contains { $0.contains(address) }
      case .name(let name):
        if simpleNames, !name.contains(".") { return true }
        return localHosts && (name == "localhost" || name.hasSuffix(".localhost") || name.hasSuffix(".local"))
      }
    }

    private static let ownNetworks = ["127.0.0.0/8", "169.254.0.0/16", "::1/128", "fe80::/10"].compactMap(IPNetwork.init)
  }

  /// Where a script comes from that chooses the proxy (“PAC”).
  package enum Script: Sendable, Hashable {
    case url(URL)
    case source(String)
  }

  package enum Choice: Sendable {
    /// Ways to try in order, one at least.
    case routes([Route])
    case script(Script)
  }

  /// In order of preference.
  package var entries: [Entry] = []
  package var exceptions = Exceptions()
  /// Takes precedence over the entries for http and https; or why there is none though one was asked for.
  package var script: Result<Script, LoadError>?
  /// Where the settings are kept, if that isn't here: the others are what is read there.
  package var desktop: DesktopProxies?

  package init() {}

  /// Whether every load connects directly.
  package var isEmpty: Bool { entries.isEmpty && script == nil && desktop == nil }

  /// How to get to `origin`. Throws if a proxy was asked for that can't be used.
  package func choice(for origin: Origin) throws(LoadError) -> Choice {
    guard let family = Family(scheme: origin.scheme), !exceptions.contains(origin) else { return .routes([.direct]) }
    // Scripts see web addresses only, as on Apple's platforms.
    if let script, family != .ftp { return .script(try script.get()) }
    var routes: [Route] = []
    for entry in entries where entry.serves(origin, family) {
      // The way to a relay itself isn't through it.
      if case .success(let relay)? = entry.relay, relay.origin == origin { continue }
      let proxy = try entry.proxy.get()
      routes.append(entry.tunnelsEverything ? .tunnel(proxy) : Route(to: origin, through: proxy))
      guard entry.allowsFailover else { return .routes(routes) }
    }
    return .routes(routes + [.direct])
  }

  static func unusable(_ message: String) -> LoadError {
    LoadError(.cannotConnectToHost, .connect, message)
  }
}
