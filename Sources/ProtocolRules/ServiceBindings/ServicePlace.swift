/// A place where an origin is served, as one HTTPS record says (RFC 9460): what the RFC calls an alternative endpoint.
package struct ServicePlace: Sendable, Hashable {
  /// The name whose addresses are looked up, without a final dot.
  package let host: String
  package let port: Int
  /// Addresses from the record, to be tried until the look-up of the name has answered (RFC 9460, 7.3).
  package let addressHints: [String]
  /// The record's "SVCB ALPN set" (RFC 9460, 7.1.1): the protocols that it lists, and the scheme's default one unless the record removes it.
  package let protocols: [String]
  /// The ECH keys that encrypt ClientHellos to this place; nil if none are known.
  package let encryptedHello: EncryptedHelloKeys?

  package init(
    host: String, port: Int, addressHints: [String] = [], protocols: [String] = [ServicePlace.defaultProtocol],
    encryptedHello: EncryptedHelloKeys? = nil
  ) {
    (self.host, self.port, self.addressHints, self.protocols) = (host, port, addressHints, protocols)
    self.encryptedHello = encryptedHello
  }

  /// The default protocol of https (RFC 9460, 9.2).
  package static let defaultProtocol = "http/1.1"

  /// Whether a connection over TCP may be made to the place: one of the offered protocols is in its set. RFC 9460, 7.1.2: the handshake then
  /// offers "all the client's supported ALPN protocols for that transport, without regard to the SVCB ALPN set".
  package func isServed(by offered: [String]) -> Bool { protocols.contains(where: offered.contains) }

  /// Whether both have the same host and port, and so are one place for TCP.
  package func isSame(_ other: ServicePlace) -> Bool { (host, port) == (other.host, other.port) }
}
