import Foundation
import LoadingModel

/// App Transport Security's settings and what they mean for a host: the rules that Apple documents for NSAppTransportSecurity.
///
/// Hosts are as in `Origin.host`. Domains are in lower case, without a trailing dot.
package struct TransportSecurityPolicy: Sendable, Hashable {
  /// An entry of NSExceptionDomains.
  package struct ExceptionDomain: Sendable, Hashable {
    package var includesSubdomains = false
    package var allowsInsecureHTTPLoads = false
    /// Wire number, 0x0301…0x0304; nil where the entry names none.
    package var minimumTLSVersion: UInt16?
    package var requiresForwardSecrecy = true
    package var requiresTransparency = false

    package init() {}
  }

  /// An entry of NSPinnedDomains: SHA-256 hashes of keys (SubjectPublicKeyInfo in DER), one of each kind that isn't empty must be there.
  package struct PinnedDomain: Sendable, Hashable {
    package var includesSubdomains = false
    package var authorities: Set<Data> = []
    package var leaves: Set<Data> = []

    package init() {}
  }

  package var allowsArbitraryLoads = false
  /// These three are nil where the key is absent: its mere presence makes `allowsArbitraryLoads` void.
  package var allowsArbitraryLoadsForMedia: Bool?
  package var allowsArbitraryLoadsInWebContent: Bool?
  package var allowsLocalNetworking: Bool?
  /// Why settings that were asked for couldn't be read; what is in force is full protection then.
  package var unreadableSource: String?
  private var exceptions: [String: ExceptionDomain] = [:]
  private var networks: [Network] = []
  private var pinned: [String: PinnedDomain] = [:]

  private struct Network: Sendable, Hashable {
    var key: String
    var range: IPNetwork
    var exception: ExceptionDomain
  }

  package init() {}

  /// Adds an entry of NSExceptionDomains. An IP address or network in CIDR form is an address entry.
  package mutating func add(_ exception: ExceptionDomain, for domain: String) {
    guard let range = IPNetwork(domain) else {
      exceptions[TransportSecurityPolicy.normalized(domain)] = exception
      return
    }
    networks.removeAll { $0.range == range }
    networks.append(Network(key: domain, range: range, exception: exception))
    networks.sort { $0.range.prefixLength > $1.range.prefixLength }
  }

  /// Adds an entry of NSPinnedDomains.
  package mutating func add(_ pins: PinnedDomain, for domain: String) {
    pinned[TransportSecurityPolicy.normalized(domain)] = pins
  }

  private static func normalized(_ domain: String) -> String {
    let lower = domain.lowercased()
    return lower.hasSuffix(".") ? String(lower.dropLast()) : lower
  }

  // MARK: decisions

  /// Whether a host is protected, and by what.
  enum Protection: Sendable, Hashable {
    /// An entry of its own or of a domain above it; its key comes along.
    case exception(ExceptionDomain, key: String)
    case full
    /// NSAllowsArbitraryLoads.
    case lifted
    /// Not a public host: App Transport Security doesn't extend to it.
    case outside
  }

  func protection(of host: HostKind) -> Protection {
    // A domain that is listed starts from full protection and takes nothing from the global keys.
    if let listed = exception(for: host) { return .exception(listed.exception, key: listed.key) }
    if liftsProtection { return .lifted }
    switch host {
    // Unqualified names and those under .local aren't protected from iOS 10 and macOS 10.12 on.
    case .name(let name): return !name.contains(".") || name.hasSuffix(".local") ? .outside : .full
    // Literal addresses of public hosts are, for apps linked on iOS 17 and macOS 14 or later, unless NSAllowsLocalNetworking lets them.
    case .address(let address): return address.isLocal || allowsLocalNetworking == true ? .outside : .full
    }
  }

  /// NSAllowsArbitraryLoads counts only where none of the three narrower keys is present, whatever its value.
  private var liftsProtection: Bool { allowsArbitraryLoads && overrulingKey == nil }

  /// The key whose presence makes NSAllowsArbitraryLoads void.
  var overrulingKey: String? {
    if allowsArbitraryLoadsForMedia != nil { return "NSAllowsArbitraryLoadsForMedia" }
    if allowsArbitraryLoadsInWebContent != nil { return "NSAllowsArbitraryLoadsInWebContent" }
    return allowsLocalNetworking != nil ? "NSAllowsLocalNetworking" : nil
  }

  private func exception(for host: HostKind) -> (exception: ExceptionDomain, key: String)? {
    switch host {
    case .address(let address):
      return networks.first { $0.range.contains(address) }.map { ($0.exception, $0.key) }
    case .name(let name):
      guard !exceptions.isEmpty else { return nil }
      if let own = exceptions[name] { return (own, name) }
      for domain in HostKind.domains(above: name) {
        if let above = exceptions[domain], above.includesSubdomains { return (above, domain) }
      }
      return nil
    }
  }

  /// A listed domain above `name` that doesn't cover it.
  func exceptionWithoutSubdomains(above name: String) -> String? {
    HostKind.domains(above: name).first { exceptions[$0] != nil }
  }

  /// What TLS with `host` must meet in a session that accepts versions from `sessionMinimum` on.
  package func tlsPolicy(for host: String, sessionMinimum: UInt16) -> TLSPolicy {
    let kind = HostKind(host)
    var policy = TLSPolicy(minimumVersion: lowestVersion(sessionMinimum: sessionMinimum) < sessionMinimum ? sessionMinimum : 0)
    switch protection(of: kind) {
    case .exception(let exception, _):
      policy.minimumVersion = minimumVersion(exception, sessionMinimum)
      policy.keyExchange = exception.requiresForwardSecrecy ? .forwardSecret : .any
      policy.overrides = exception.allowsInsecureHTTPLoads ? .allowed : .denied
      policy.requiresTransparency = exception.requiresTransparency
      policy.limitsLifetimes = true
    case .full:
      policy.minimumVersion = max(sessionMinimum, TransportSecurityPolicy.standardVersion)
      policy.keyExchange = .forwardSecret
      policy.overrides = .denied
      policy.limitsLifetimes = true
    case .lifted, .outside: break
    }
    if case .name(let name) = kind, let pins = pins(for: name) {
      policy.authorityPins = pins.authorities
      policy.leafPins = pins.leaves
      // A pin that the app's own answer could lift would pin nothing.
      policy.overrides = .denied
    }
    return policy
  }

  /// The oldest version that any host may use: what the session itself must offer.
  package func lowestVersion(sessionMinimum: UInt16) -> UInt16 {
    (exceptions.values.map { $0 } + networks.map(\.exception)).map { minimumVersion($0, sessionMinimum) }.min()
      .map { min($0, sessionMinimum) } ?? sessionMinimum
  }

  /// A version that an entry names may be lower than the session's where that is the default; a session set to newer versions keeps to
  /// them.
  private func minimumVersion(_ exception: ExceptionDomain, _ sessionMinimum: UInt16) -> UInt16 {
    guard let named = exception.minimumTLSVersion else { return max(sessionMinimum, TransportSecurityPolicy.standardVersion) }
    return sessionMinimum == TransportSecurityPolicy.standardVersion ? named : max(sessionMinimum, named)
  }

  /// TLS 1.2: the default of sessions and what App Transport Security asks for.
  static let standardVersion: UInt16 = 0x0303

  private func pins(for name: String) -> PinnedDomain? {
    guard !pinned.isEmpty else { return nil }
    if let own = pinned[name] { return own }
    for domain in HostKind.domains(above: name) {
      if let above = pinned[domain], above.includesSubdomains { return above }
    }
    return nil
  }
}
