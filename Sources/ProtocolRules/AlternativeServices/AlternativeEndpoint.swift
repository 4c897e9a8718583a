/// A host and port at which HTTP/3 may be tried for an origin.
package struct AlternativeEndpoint: Sendable, Hashable {
  /// The name whose addresses are looked up, or an address without brackets.
  package var host: String
  package var port: Int
  /// Addresses that the HTTPS record has given along with the name (RFC 9460, 7.3), to be tried until the look-up of the name has answered.
  package var addressHints: [String]

  package init(host: String, port: Int, addressHints: [String] = []) {
    self.host = host
    self.port = port
    self.addressHints = addressHints
  }
}
