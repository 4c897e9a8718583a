/// The services that the system asks for hosts' names, in order: the line "hosts:" of nsswitch.conf(5).
package struct NameServices: Sendable, Hashable {
  /// Whether the table of hosts(5) is consulted before the DNS.
  package let tableComesFirst: Bool
  /// Whether all services that are asked before the DNS are known to this library.
  private let areKnown: Bool

  /// The C library's default where the file has no line "hosts:".
  package static let usual = NameServices(["files", "dns"])

  /// - Parameter configuration: The text of nsswitch.conf; nil if there is no such file.
  package init(configuration: String?) {
    let line = configuration?.split(separator: "\n").lazy.map { $0.prefix { $0 != "#" } }.first { line in
      line.drop(while: \.isWhitespace).hasPrefix("hosts:")
    }
    guard let line, let colon = line.firstIndex(of: ":") else {
      self = .usual
      return
    }
    self.init(NameServices.services(line[line.index(after: colon)...]))
  }

  private init(_ services: [String]) {
    let beforeDNS = services.prefix { !["dns", "resolve"].contains($0) }
    // "resolve" is systemd-resolved, which reads the table itself before it asks the DNS.
    tableComesFirst = beforeDNS.contains("files") || services.first { $0 == "dns" || $0 == "resolve" } == "resolve"
    areKnown = beforeDNS.allSatisfy { $0 == "files" || $0 == "myhostname" || $0.hasPrefix("mdns") }
  }

  /// Whether IPv4 and IPv6 addresses of `name` may be looked up by separate calls. Of the services, the first that knows a name in any family
  /// answers alone. If that may be one with addresses of one family only, separate calls would let the DNS answer for the other family.
  package func maySplit(_ name: String) -> Bool {
    let labels = name.lowercased().split(separator: ".")
    return areKnown && labels.count > 1 && labels.last != "local"
  }

  /// The names of the services in `text`, without the actions between them ("[NOTFOUND=return]").
  private static func services(_ text: Substring) -> [String] {
    var names: [String] = []
    var isAction = false
    for word in text.split(whereSeparator: \.isWhitespace) {
      if word.hasPrefix("[") { isAction = true }
      if !isAction { names.append(String(word)) }
      if word.hasSuffix("]") { isAction = false }
    }
    return names
  }
}
