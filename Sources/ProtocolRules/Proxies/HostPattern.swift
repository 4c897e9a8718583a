import LoadingModel

/// A set of hosts as proxy settings write it: which ones are reached without the proxy.
package struct HostPattern: Sendable, Hashable {
  private enum Shape: Sendable, Hashable {
    case any
    case name(String)
    /// A domain and what lies below it.
    case domain(String)
    /// What lies below a domain.
    case below(String)
    /// Text with `*` for any characters, split at them.
    case glob([String])
    case network(IPNetwork)
  }

  private let shape: Shape
  /// nil for every port.
  private let port: Int?

  /// An entry of `ExceptionsList`: a name means itself, “*.local” and “.local” what lies below, “169.254/16” and “10.0.0.0/8” a network.
  package init?(exception text: String) { self.init(text, plain: { .name($0) }, dotted: { .below($0) }) }

  /// An entry of `no_proxy`: a name, with a leading dot or without, means itself and what lies below, as it does to most programs.
  package init?(noProxy text: String) { self.init(text, plain: { .domain($0) }, dotted: { .domain($0) }) }

  /// A domain and what lies below it.
  package init(domain: String) {
    shape = .domain(HostPattern.normal(domain.hasPrefix(".") ? domain.dropFirst() : domain[...]))
    port = nil
  }

  private init?(_ text: String, plain: (String) -> Shape, dotted: (String) -> Shape) {
    let (host, port) = HostPattern.split(text.trimmingSpaces())
    guard !host.isEmpty else { return nil }
    self.port = port
    if host == "*" {
      shape = .any
    } else if let network = IPNetwork(HostPattern.completed(host)) {
      shape = .network(network)
    } else if host.hasPrefix("*."), !host.dropFirst(2).contains("*") {
      shape = dotted(HostPattern.normal(host.dropFirst(2)))
    } else if host.contains("*") {
      shape = .glob(HostPattern.normal(host[...]).split(separator: "*", omittingEmptySubsequences: false).map(String.init))
    } else if host.hasPrefix(".") {
      shape = dotted(HostPattern.normal(host.dropFirst()))
    } else {
      shape = plain(HostPattern.normal(host[...]))
    }
  }

  package func matches(_ origin: Origin) -> Bool {
    if let port, port != origin.port { return false }
    switch (shape, HostKind(origin.host)) {
    case (.any, _): return true
    case (.network(let network), .address(let address)): return network.contains(address)
    case (.network, .name): return false
    case (.name(let name), .name(let host)): return host == name
    case (.domain(let domain), .name(let host)): return host == domain || host.hasSuffix("." + domain)
    case (.below(let domain), .name(let host)): return host.hasSuffix("." + domain)
    case (.glob(let pieces), _): return HostPattern.glob(pieces, matches: origin.host)
    case (.name, .address), (.domain, .address), (.below, .address): return false
    }
  }

  /// Takes a port off the end. An IPv6 address with a port has brackets.
  private static func split(_ text: String) -> (host: String, port: Int?) {
    let start = text.lastIndex(of: "]") ?? text.startIndex
    guard let colon = text[start...].lastIndex(of: ":"), text[start...].firstIndex(of: ":") == colon,
      let port = UInt16(text[text.index(after: colon)...])
    else { return (text, nil) }
    return (String(text[..<colon]), Int(port))
  }

  /// “169.254/16”, as macOS writes networks, with all four numbers.
  private static func completed(_ text: String) -> String {
    guard let slash = text.firstIndex(of: "/"), !text.contains(":") else { return text }
    let numbers = text[..<slash].split(separator: ".", omittingEmptySubsequences: false)
    guard numbers.count < 4, numbers.allSatisfy({ UInt8($0) != nil }) else { return text }
    return text[..<slash] + String(repeating: ".0", count: 4 - numbers.count) + text[slash...]
  }

  /// The pattern as entries of `ExceptionsList`: those of which `init(exception:)` makes patterns for the same hosts.
  package var exceptions: [String] {
    let texts: [String] =
      switch shape {
      case .any: ["*"]
      case .name(let name): [name]
      case .domain(let domain): [domain, "*." + domain]
      case .below(let domain): ["*." + domain]
      case .glob(let pieces): [pieces.joined(separator: "*")]
      case .network(let network): [network.text]
      }
    guard let port else { return texts }
    return texts.map { ($0.contains(":") ? "[\($0)]" : $0) + ":\(port)" }
  }

  private static func normal(_ name: Substring) -> String {
    (name.hasSuffix(".") ? name.dropLast() : name).lowercased()
  }

  private static func glob(_ pieces: [String], matches text: String) -> Bool {
    guard let first = pieces.first, let last = pieces.last, text.hasPrefix(first) else { return false }
    var rest = text.dropFirst(first.count)
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard let found = rest.firstRange(of: piece) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.hasSuffix(last)
  }
}
