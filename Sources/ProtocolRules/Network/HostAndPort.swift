/// A host, a port, both or neither, with a text form: “example.com:443”, “example.com”, “[::1]:443”, “:443”, “*”.
package struct HostAndPort: Sendable, Hashable {
  /// The host in lower case, without brackets and without a final dot; nil for any host.
  package var host: String?
  package var port: Int?

  package init(host: String?, port: Int?) {
    self.host = host.map(HostAndPort.plain)
    self.port = port
  }

  /// nil if `text` has another form, or a port outside of 1…65535.
  package init?(_ text: String) {
    var host = text[...]
    var port: Substring = ""
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      port = rest.dropFirst()
      guard IPAddress(String(host)) != nil else { return nil }
    } else if let colon = text.firstIndex(of: ":"), text.lastIndex(of: ":") == colon {
      host = text[..<colon]
      port = text[text.index(after: colon)...]
    } else if text.contains(":") {
      // Text with several colons must be an IPv6 address without a port.
      guard IPAddress(text) != nil else { return nil }
    }
    var number: Int?
    if !port.isEmpty {
      guard let value = UInt16(port), value > 0 else { return nil }
      number = Int(value)
    }
    guard host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }) else { return nil }
    self.init(host: host.isEmpty || host == "*" ? nil : String(host), port: number)
  }

  private static func plain(_ host: String) -> String { (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased() }

  /// All keys that match a host and port, the most specific first.
  static func fitting(_ host: String, _ port: Int) -> [HostAndPort] {
    [
      HostAndPort(host: host, port: port), HostAndPort(host: host, port: nil), HostAndPort(host: nil, port: port),
      HostAndPort(host: nil, port: nil),
    ]
  }
}
