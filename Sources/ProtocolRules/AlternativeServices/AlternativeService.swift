/// Another place where an origin is served, and the protocol to use there (RFC 7838, 2).
package struct AlternativeService: Sendable, Hashable {
  /// The protocol's name in ALPN (RFC 7301), such as "h3".
  package let protocolName: String
  /// The host in lower case, without the brackets of an IPv6 literal; nil for the origin's own host.
  package let host: String?
  package let port: Int

  package init(_ protocolName: String, host: String? = nil, port: Int) {
    self.protocolName = protocolName
    self.host = host
    self.port = port
  }
}
