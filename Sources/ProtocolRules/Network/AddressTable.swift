/// Addresses that an app has set for hosts, for one port or for all, in place of a look-up.
package struct AddressTable: Sendable, Hashable {
  private var entries: [HostAndPort: [IPAddress]] = [:]
  /// What is wrong with the table, as text for an error: no name is looked up then. nil if it is right.
  package private(set) var fault: String?

  /// - Parameter table: Addresses by “host:port” or “host”; “*” is any host.
  package init(_ table: [String: [String]]) {
    for (place, texts) in table.sorted(by: { $0.key < $1.key }) {
      guard let key = HostAndPort(place) else {
        fault = "“\(place)” isn't “host” or “host:port”"
        continue
      }
      let addresses = texts.map { text in IPAddress(text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text)
      }
      guard !addresses.isEmpty, let bad = addresses.firstIndex(of: nil) else {
        if addresses.isEmpty { fault = "“\(place)” has no addresses" }
        entries[key] = addresses.compactMap(\.self)
        continue
      }
      fault = "“\(texts[bad])”, given for “\(place)”, isn't an IP address"
    }
  }

  /// The addresses that the table has for a host and port; nil if it has none.
  package func addresses(of host: String, _ port: Int) -> [IPAddress]? {
    HostAndPort.fitting(host, port).lazy.compactMap { entries[$0] }.first
  }
}
