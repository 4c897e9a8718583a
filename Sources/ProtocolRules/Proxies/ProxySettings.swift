import Foundation
import LoadingModel

/// A session's proxy settings, and the routes that follow from them.
///
/// A setting that asks for a proxy but can't be used makes the loads that it concerns fail: they never connect directly instead.
package struct ProxySettings: Sendable {
  /// Kinds of URL, for each of which a proxy can be set.
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

  /// One proxy, or relay, and the URLs that it is for.
  package struct Entry: Sendable {
    package var families = Set(Family.allCases)
    /// The proxy, or the error if one was asked for that can't be used.
    package var proxy: Result<Proxy, LoadError>
    /// A relay of Oblivious HTTP in place of a proxy: http and https loads go through it; other loads fail with the error in `proxy`.
    package var relay: Result<ObliviousRelay, LoadError>?
    /// Whether plain http goes through a tunnel, too, instead of being forwarded.
    package var tunnelsEverything = false
    /// Whether the load may continue with the next entry, or directly, if the proxy can't be reached.
    package var allowsFailover = false
    /// The hosts that the entry is for; empty for all.
    package var domains: [HostPattern] = []
    /// Hosts that the entry isn't for, even if `domains` matches them.
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

  /// The hosts that are reached without a proxy.
  package struct Exceptions: Sendable {
    package var patterns: [HostPattern] = []
    /// Whether all names without a dot are reached directly.
    package var simpleNames = false
    /// Whether this machine itself and link-local hosts are reached directly.
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

  /// The source of a proxy script (PAC file), which chooses the proxy for each URL.
  package enum Script: Sendable, Hashable {
    case url(URL)
    case source(String)
  }

  package enum Choice: Sendable {
    /// The routes to try in order; there is at least one.
    case routes([Route])
    case script(Script)
  }

  /// The proxies in order of preference.
  package var entries: [Entry] = []
  package var exceptions = Exceptions()
  /// A proxy script, which takes precedence over `entries` except for FTP; a failure if one was asked for that can't be used.
  package var script: Result<Script, LoadError>?
  /// Where the desktop keeps its settings; the engine reads them there and uses them in place of these. nil if these settings count.
  package var desktop: DesktopProxies?

  package init() {}

  /// Whether every load connects directly.
  package var isEmpty: Bool { entries.isEmpty && script == nil && desktop == nil }

  /// The routes to `origin`, or the script that chooses them. Throws if a proxy was asked for that can't be used.
  package func choice(for origin: Origin) throws(LoadError) -> Choice {
    guard let family = Family(scheme: origin.scheme), !exceptions.contains(origin) else { return .routes([.direct]) }
    // Scripts are asked about web URLs only, not FTP, as on Apple's platforms.
    if let script, family != .ftp { return .script(try script.get()) }
    var routes: [Route] = []
    for entry in entries where entry.serves(origin, family) {
      // Connections to the relay itself don't go through the relay.
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
