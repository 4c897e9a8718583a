import LoadingModel
import ProtocolRules

/// Knows where origins are served, from their HTTPS records in the DNS (RFC 9460). All calls on the event loop.
package protocol ServicePlaces: AnyObject {
  /// Whether the DNS is asked for the HTTPS records of `origin`.
  func follows(_ origin: Origin) -> Bool
  /// The places of `origin` according to its records, in order of preference; empty if there are none. nil while the DNS is being asked: `tell` is
  /// called with the answer, or never if the question is dropped because the networks have changed.
  func places(of origin: Origin, _ tell: @escaping ([ServicePlace]) -> Void) -> [ServicePlace]?
  /// The places that are known already: as `places(of:_:)`, but without asking the DNS.
  func knownPlaces(of origin: Origin) -> [ServicePlace]
  /// A connection to `place` succeeded after those to preferred places failed: `place` is tried first from now on.
  func prefer(_ place: ServicePlace, of origin: Origin)
  /// A connection attempt has shown that `place` doesn't serve the origin: it isn't used until the DNS is asked again.
  func drop(_ place: ServicePlace, of origin: Origin)
}

extension ServicePlaces {
  /// The keys for encrypting a ClientHello to a place of `origin`, from its known HTTPS records; nil if they have none.
  func encryptedHello(of origin: Origin, at host: String, _ port: Int) -> EncryptedHelloKeys? {
    ServiceBindingRules.encryptedHello(knownPlaces(of: origin), at: host, port)
  }

  /// Whether a connection for `origin` may lead to this host and port. If all records have keys for Encrypted Client Hello, only to a place with
  /// keys.
  func allow(_ host: String, _ port: Int, for origin: Origin) -> Bool {
    let known = knownPlaces(of: origin)
    return !ServiceBindingRules.areAllThereIs(known) || ServiceBindingRules.encryptedHello(known, at: host, port) != nil
  }
}
