import Foundation
import LoadingModel

/// A host that asked to be reached by TLS only.
package struct HSTSHost: Sendable, Hashable {
  package var includesSubdomains: Bool
  package var expires: Date
  /// When the host asked last.
  package var noted: Date

  package init(includesSubdomains: Bool, expires: Date, noted: Date) {
    self.includesSubdomains = includesSubdomains
    self.expires = expires
    self.noted = noted
  }
}

/// The hosts that asked to be reached by TLS only: RFC 6797, 8.1 and 8.2, over a bounded table.
package struct HSTSHosts: Sendable {
  /// What a response changed.
  package enum Change: Sendable, Hashable {
    case set(String, HSTSHost)
    case remove(String)

    package var host: String {
      switch self {
      case .set(let host, _), .remove(let host): host
      }
    }
  }

  /// Hosts that are kept. Beyond it the tenth that asked longest ago is forgotten.
  package static let limit = 10_000

  package private(set) var table: [String: HSTSHost]

  package init(_ table: [String: HSTSHost] = [:]) { self.table = table }

  package var isEmpty: Bool { table.isEmpty }

  /// Whether loads from `host` must use TLS.
  ///
  /// - Parameter host: As in `Origin.host`: lower case, without brackets.
  package func requiresTLS(_ host: String, now: Date) -> Bool {
    guard !table.isEmpty, case .name(let name) = HostKind(host) else { return false }
    if let entry = table[name], entry.expires > now { return true }
    // 8.2, step 5: "superdomain match" counts where the superdomain asserted includeSubDomains.
    return HostKind.domains(above: name).contains { domain in
      table[domain].map { $0.includesSubdomains && $0.expires > now } ?? false
    }
  }

  /// What a response from `host` over an error-free secure connection changes; nil if nothing worth writing down.
  package func change(by policy: StrictTransportSecurity, from host: String, now: Date) -> Change? {
    // Nor has a Unix socket a name that could be asked for otherwise.
    guard !UnixSocketHost.isOne(host) else { return nil }
    // 8.1.1: "If the substring matching the host production from the Request-URI … syntactically matches the IP-literal or IPv4address
    // productions …, then the UA MUST NOT note this host as a Known HSTS Host".
    guard case .name(let name) = HostKind(host) else { return nil }
    let known = table[name]
    // 6.1.1: "A max-age value of zero … signals the UA to cease regarding the host as a Known HSTS Host".
    guard policy.maxAge > 0 else { return known == nil ? nil : .remove(name) }
    let age = Double(policy.maxAge)
    let entry = HSTSHost(includesSubdomains: policy.includesSubdomains, expires: now.addingTimeInterval(age), noted: now)
    // Most hosts repeat themselves with each response: a twentieth of the time isn't worth a write.
    if let known, known.includesSubdomains == entry.includesSubdomains, abs(entry.expires.timeIntervalSince(known.expires)) < age / 20 {
      return nil
    }
    return .set(name, entry)
  }

  /// Performs `change`.
  ///
  /// - Returns: The hosts that were forgotten to keep the table bounded.
  package mutating func apply(_ change: Change, now: Date) -> [String] {
    switch change {
    case .remove(let host):
      table[host] = nil
      return []
    case .set(let host, let entry):
      table[host] = entry
      return table.count > HSTSHosts.limit ? shrink(now) : []
    }
  }

  private mutating func shrink(_ now: Date) -> [String] {
    var forgotten = table.filter { $0.value.expires <= now }.map(\.key)
    if forgotten.isEmpty {
      forgotten = table.sorted { ($0.value.noted, $0.key) < ($1.value.noted, $1.key) }.prefix(HSTSHosts.limit / 10).map(\.key)
    }
    for host in forgotten { table[host] = nil }
    return forgotten
  }
}

/// From a URL without TLS to the same with it.
package enum SecureUpgrade {
  /// `url` with TLS; nil if its scheme has no such form.
  ///
  /// RFC 6797, 8.3: the scheme becomes https; an explicit port of 80 becomes 443, any other explicit port stays; a URL without a port
  /// gets the new scheme's. WebSocket schemes alike (RFC 6455, 11.1.2).
  package static func url(_ url: URL) -> URL? {
    let text = url.absoluteString
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let scheme: String
    switch text[..<colon].lowercased() {
    case "http": scheme = "https"
    case "ws": scheme = "wss"
    default: return nil
    }
    var rest = String(text[colon...])
    guard rest.hasPrefix("://") else { return nil }
    let start = rest.index(rest.startIndex, offsetBy: 3)
    let end = rest[start...].firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let host = rest[start..<end].lastIndex(of: "@").map { rest.index(after: $0) } ?? start
    let name = rest[host..<end].lastIndex(of: "]") ?? host
    if let port = rest[name..<end].lastIndex(of: ":"), Int(rest[rest.index(after: port)..<end]) == 80 {
      rest.replaceSubrange(port..<end, with: ":443")
    }
    return URL(string: scheme + rest)
  }
}
