/// Where connections are made in the place of the hosts and ports that URLs name, as an app has said.
package struct ConnectTable: Sendable, Hashable {
  private var entries: [HostAndPort: HostAndPort] = [:]
  /// What is wrong with the table, and so why nothing can be connected to; nil if nothing is.
  package private(set) var fault: String?

  /// - Parameter table: “host:port” by “host:port”. Either half of a key may be left out, and means any; of a value, and keeps what there is.
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

  /// The place for one of a URL; nil where the table says nothing.
  package func place(of host: String, _ port: Int) -> (host: String, port: Int)? {
    guard !entries.isEmpty else { return nil }
    let found = HostAndPort.fitting(host, port).lazy.compactMap { entries[$0] }.first
    return found.map { ($0.host ?? host, $0.port ?? port) }
  }
}
