import Foundation
import LoadingModel

/// What is known of a host that has asked for TLS only, by HSTS.
package struct HSTSHost: Sendable, Hashable {
  package var includesSubdomains: Bool
  package var expires: Date
  /// When the host last sent its HSTS policy.
  package var noted: Date

  package init(includesSubdomains: Bool, expires: Date, noted: Date) {
    self.includesSubdomains = includesSubdomains
    self.expires = expires
    self.noted = noted
  }
}

/// The hosts that have asked for TLS only (HSTS; RFC 6797, 8.1 and 8.2), in a bounded table.
package struct HSTSHosts: Sendable {
  /// One change of the table: a host's entry is replaced or removed. The caller applies it, and writes it to disk.
  package enum Change: Sendable, Hashable {
    case set(String, HSTSHost)
    case remove(String)

    package var host: String {
      switch self {
      case .set(let host, _), .remove(let host): host
      }
    }
  }

  /// The most hosts in the table. When there are more, those that have expired are removed; if none have, those that asked longest ago: a tenth
  /// of the limit.
  package static let limit = 10_000

  package private(set) var table: [String: HSTSHost]

  package init(_ table: [String: HSTSHost] = [:]) { self.table = table }

  package var isEmpty: Bool { table.isEmpty }

  /// Whether loads from `host` must use TLS.
  ///
  /// - Parameter host: A host in the form of `Origin.host`: lower case, without brackets.
  package func requiresTLS(_ host: String, now: Date) -> Bool {
    guard !table.isEmpty, case .name(let name) = HostKind(host) else { return false }
    if let entry = table[name], entry.expires > now { return true }
    // RFC 6797, 8.2, step 5: a "superdomain match" counts if the superdomain asserted includeSubDomains.
    return HostKind.domains(above: name).contains { domain in
      table[domain].map { $0.includesSubdomains && $0.expires > now } ?? false
    }
  }

  /// The change of the table that a response from `host` causes, over a secure connection without errors; nil if it causes none that is worth a
  /// write.
  package func change(by policy: StrictTransportSecurity, from host: String, now: Date) -> Change? {
    // The socket's path is no name to which the policy of a host could apply.
    guard !UnixSocketHost.isOne(host) else { return nil }
    // RFC 6797, 8.1.1: "If the substring matching the host production from the Request-URI … syntactically matches the IP-literal or IPv4address
    // productions …, then the UA MUST NOT note this host as a Known HSTS Host".
    guard case .name(let name) = HostKind(host) else { return nil }
    let known = table[name]
    // RFC 6797, 6.1.1: "A max-age value of zero … signals the UA to cease regarding the host as a Known HSTS Host".
    guard policy.maxAge > 0 else { return known == nil ? nil : .remove(name) }
    let age = Double(policy.maxAge)
    let entry = HSTSHost(includesSubdomains: policy.includesSubdomains, expires: now.addingTimeInterval(age), noted: now)
    // Most hosts repeat the field in each response: a change of less than a twentieth of the lifetime isn't worth a write to disk.
    if let known, known.includesSubdomains == entry.includesSubdomains, abs(entry.expires.timeIntervalSince(known.expires)) < age / 20 {
      return nil
    }
    return .set(name, entry)
  }

  /// Applies `change` to the table.
  ///
  /// - Returns: The hosts that were removed to keep the table within `limit`.
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

/// Turns the URL of a load without TLS into the same URL with TLS.
package enum SecureUpgrade {
  /// `url` with the TLS form of its scheme; nil if the scheme has none.
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
