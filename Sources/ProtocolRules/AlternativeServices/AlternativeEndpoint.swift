/// Where HTTP/3 for an origin may be tried.
package struct AlternativeEndpoint: Sendable, Hashable {
  /// The name whose addresses are looked up, or an address without brackets.
  package var host: String
  package var port: Int
  /// Addresses that the DNS has given along with the name (RFC 9460, 7.3), to be tried until the look-up has answered.
  package var addressHints: [String]

  package init(host: String, port: Int, addressHints: [String] = []) {
    self.host = host
    self.port = port
    self.addressHints = addressHints
  }
}
