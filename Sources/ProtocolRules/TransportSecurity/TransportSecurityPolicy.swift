import Foundation
import LoadingModel

/// The settings of App Transport Security, and what they mean for a host: the rules that Apple documents for NSAppTransportSecurity.
///
/// Hosts have the form of `Origin.host`. Domains are in lower case, without a final dot.
package struct TransportSecurityPolicy: Sendable, Hashable {
  /// An entry of NSExceptionDomains.
  package struct ExceptionDomain: Sendable, Hashable {
    package var includesSubdomains = false
    package var allowsInsecureHTTPLoads = false
    /// The TLS version's number on the wire, 0x0301…0x0304; nil if the entry sets none.
    package var minimumTLSVersion: UInt16?
    package var requiresForwardSecrecy = true
    package var requiresTransparency = false

    package init() {}
  }

  /// An entry of NSPinnedDomains: SHA-256 hashes of public keys (SubjectPublicKeyInfo in DER). The chain must have a key of each set that isn't
  /// empty.
  package struct PinnedDomain: Sendable, Hashable {
    package var includesSubdomains = false
    package var authorities: Set<Data> = []
    package var leaves: Set<Data> = []

    package init() {}
  }

  package var allowsArbitraryLoads = false
  /// This key and the next two are nil if absent: their mere presence, whatever the value, disables `allowsArbitraryLoads`.
  package var allowsArbitraryLoadsForMedia: Bool?
  package var allowsArbitraryLoadsInWebContent: Bool?
  package var allowsLocalNetworking: Bool?
  /// Why settings couldn't be read, as text for errors; full protection is in force then. nil if there was no such failure.
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

  /// How a host is protected, and by which setting.
  enum Protection: Sendable, Hashable {
    /// By the entry of NSExceptionDomains for the host or a domain above it; `key` is the entry's name.
    case exception(ExceptionDomain, key: String)
    case full
    /// Not protected, because of NSAllowsArbitraryLoads.
    case lifted
    /// Not protected, because App Transport Security covers public hosts only.
    case outside
  }

  func protection(of host: HostKind) -> Protection {
    // A domain with an entry of its own starts from full protection; the global keys don't apply to it.
    if let listed = exception(for: host) { return .exception(listed.exception, key: listed.key) }
    if liftsProtection { return .lifted }
    switch host {
    // From iOS 10 and macOS 10.12 on, names without a dot and those below .local aren't protected.
    case .name(let name): return !name.contains(".") || name.hasSuffix(".local") ? .outside : .full
    // For apps linked on iOS 17 and macOS 14 or later, literal addresses of public hosts are protected, unless NSAllowsLocalNetworking exempts
    // them.
    case .address(let address): return address.isLocal || allowsLocalNetworking == true ? .outside : .full
    }
  }

  /// Whether protection is lifted for all hosts: NSAllowsArbitraryLoads counts only if none of the three narrower keys is present, whatever its
  /// value.
  private var liftsProtection: Bool { allowsArbitraryLoads && overrulingKey == nil }

  /// The key whose presence disables NSAllowsArbitraryLoads; nil if there is none.
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

  /// A domain above `name` that has an entry which doesn't include subdomains, as a hint in an error; nil if there is none.
  func exceptionWithoutSubdomains(above name: String) -> String? {
    HostKind.domains(above: name).first { exceptions[$0] != nil }
  }

  /// The requirements on TLS with `host`, in a session whose own minimum version is `sessionMinimum`.
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
      // If the app's answer to a challenge could accept another key, the pin would have no effect.
      policy.overrides = .denied
    }
    return policy
  }

  /// The oldest TLS version that any host may use by these settings: the minimum of the session's own TLS settings; `tlsPolicy` raises it for
  /// other hosts.
  package func lowestVersion(sessionMinimum: UInt16) -> UInt16 {
    (exceptions.values.map { $0 } + networks.map(\.exception)).map { minimumVersion($0, sessionMinimum) }.min()
      .map { min($0, sessionMinimum) } ?? sessionMinimum
  }

  /// The minimum version for an entry. It may be lower than the session's if that is the default; a session that demands newer versions keeps to
  /// them.
  private func minimumVersion(_ exception: ExceptionDomain, _ sessionMinimum: UInt16) -> UInt16 {
    guard let named = exception.minimumTLSVersion else { return max(sessionMinimum, TransportSecurityPolicy.standardVersion) }
    return sessionMinimum == TransportSecurityPolicy.standardVersion ? named : max(sessionMinimum, named)
  }

  /// TLS 1.2: the default minimum of sessions, and what App Transport Security demands.
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
