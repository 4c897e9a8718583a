/// Other hosts and ports to which an app has connections made, in place of those that URLs name (like curl's `--connect-to`).
package struct ConnectTable: Sendable, Hashable {
  private var entries: [HostAndPort: HostAndPort] = [:]
  /// What is wrong with the table, as text for an error: no connection is made then. nil if it is right.
  package private(set) var fault: String?

  /// - Parameter table: “host:port” to connect to, by “host:port” of the URL. Either half of a key may be left out, which means any; either half
  ///   of a value may be left out, which keeps the URL's.
  package init(_ table: [String: String] = [:]) {
    for (from, to) in table.sorted(by: { $0.key < $1.key }) {
      guard let key = HostAndPort(from), let value = HostAndPort(to) else {
        fault = "“\(from)” → “\(to)” isn't “host:port” → “host:port”"
        continue
      }
      entries[key] = value
    }
  }

  package var isEmpty: Bool { entries.isEmpty && fault == nil }

  /// The host and port to connect to in place of a URL's; nil if the table has none.
  package func place(of host: String, _ port: Int) -> (host: String, port: Int)? {
    guard !entries.isEmpty else { return nil }
    let found = HostAndPort.fitting(host, port).lazy.compactMap { entries[$0] }.first
    return found.map { ($0.host ?? host, $0.port ?? port) }
  }
}
