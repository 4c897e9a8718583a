import LoadingModel

/// A pattern of proxy settings that matches hosts, such as those that are reached without the proxy.
package struct HostPattern: Sendable, Hashable {
  private enum Shape: Sendable, Hashable {
    case any
    case name(String)
    /// A domain and all hosts below it.
    case domain(String)
    /// The hosts below a domain, not the domain itself.
    case below(String)
    /// Text with `*` for any characters: the pieces between the asterisks.
    case glob([String])
    case network(IPNetwork)
  }

  private let shape: Shape
  /// The port that the pattern is for; nil for every port.
  private let port: Int?

  /// Reads an entry of `ExceptionsList`: a name means that host alone, “*.local” and “.local” the hosts below it, “169.254/16” and “10.0.0.0/8” a
  /// network.
  package init?(exception text: String) { self.init(text, plain: { .name($0) }, dotted: { .below($0) }) }

  /// Reads an entry of `no_proxy`: a name, with a leading dot or without, means that host and those below it, as in most programs.
  package init?(noProxy text: String) { self.init(text, plain: { .domain($0) }, dotted: { .domain($0) }) }

  /// Matches a domain and all hosts below it.
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

  /// Splits off a port at the end; nil if there is none. An IPv6 address with a port must have brackets.
  private static func split(_ text: String) -> (host: String, port: Int?) {
    let start = text.lastIndex(of: "]") ?? text.startIndex
    guard let colon = text[start...].lastIndex(of: ":"), text[start...].firstIndex(of: ":") == colon,
      let port = UInt16(text[text.index(after: colon)...])
    else { return (text, nil) }
    return (String(text[..<colon]), Int(port))
  }

  /// A network as macOS may write it, “169.254/16”, with all four numbers: “169.254.0.0/16”.
  private static func completed(_ text: String) -> String {
    guard let slash = text.firstIndex(of: "/"), !text.contains(":") else { return text }
    let numbers = text[..<slash].split(separator: ".", omittingEmptySubsequences: false)
    guard numbers.count < 4, numbers.allSatisfy({ UInt8($0) != nil }) else { return text }
    return text[..<slash] + String(repeating: ".0", count: 4 - numbers.count) + text[slash...]
  }

  /// The pattern as entries of `ExceptionsList`: `init(exception:)` reads them as patterns that match the same hosts.
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
