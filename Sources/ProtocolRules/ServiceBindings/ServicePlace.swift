/// A place where an origin is served, as one HTTPS record says (RFC 9460): what the RFC calls an alternative endpoint.
package struct ServicePlace: Sendable, Hashable {
  /// The name whose addresses are looked up, without a dot at its end.
  package let host: String
  package let port: Int
  /// Addresses that came along with the name, to be tried until the look-ups have answered (7.3).
  package let addressHints: [String]
  /// The record's "SVCB ALPN set" (7.1.1): the protocols that it lists, and the scheme's default one unless that is taken back.
  package let protocols: [String]
  /// The keys by which a ClientHello to it is encrypted; nil if none are known.
  package let encryptedHello: EncryptedHelloKeys?

  package init(
    host: String, port: Int, addressHints: [String] = [], protocols: [String] = [ServicePlace.defaultProtocol],
    encryptedHello: EncryptedHelloKeys? = nil
  ) {
    (self.host, self.port, self.addressHints, self.protocols) = (host, port, addressHints, protocols)
    self.encryptedHello = encryptedHello
  }

  /// The default protocol of https (9.2).
  package static let defaultProtocol = "http/1.1"

  /// Whether a connection over TCP may lead there. 7.1.2: what is offered in the handshake is "all the client's supported ALPN protocols for that
  /// transport, without regard to the SVCB ALPN set", as soon as one of them is in the set.
  package func isServed(by offered: [String]) -> Bool { protocols.contains(where: offered.contains) }

  /// Whether both are one place for TCP.
  package func isSame(_ other: ServicePlace) -> Bool { (host, port) == (other.host, other.port) }
}
