/// Which services the system asks about hosts' names, and in which order: the line "hosts:" of nsswitch.conf(5).
package struct NameServices: Sendable, Hashable {
  /// Whether hosts(5) is asked before the DNS.
  package let tableComesFirst: Bool
  /// Whether only services that this library knows are asked before the DNS.
  private let areKnown: Bool

  /// As the C library has it where the file says nothing.
  package static let usual = NameServices(["files", "dns"])

  /// - Parameter configuration: The file's text; nil if there is none.
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
    // systemd-resolved reads the table itself, before it asks the DNS.
    tableComesFirst = beforeDNS.contains("files") || services.first { $0 == "dns" || $0 == "resolve" } == "resolve"
    areKnown = beforeDNS.allSatisfy { $0 == "files" || $0 == "myhostname" || $0.hasPrefix("mdns") }
  }

  /// Whether `name` may be asked for in one call a family. The first service that knows a name at all has the last word: where that may be
  /// one that knows it in one family alone, the system has to be asked for both families in one call, or the DNS is asked for the other.
  package func maySplit(_ name: String) -> Bool {
    let labels = name.lowercased().split(separator: ".")
    return areKnown && labels.count > 1 && labels.last != "local"
  }

  /// The names of services, without what is to be done after them ("[NOTFOUND=return]").
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
