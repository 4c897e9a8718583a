import LoadingModel
import ProtocolRules

/// Knows where origins are served over TCP, as the DNS says (HTTPS records; RFC 9460). All calls on the event loop.
package protocol ServicePlaces: AnyObject {
  /// Whether the DNS is asked about `origin`.
  func follows(_ origin: Origin) -> Bool
  /// The places of `origin`, as the records say, the preferred ones first; empty if there are none. nil if the DNS is being asked: `tell` is
  /// called once it has answered, and never if the question is dropped.
  func places(of origin: Origin, _ tell: @escaping ([ServicePlace]) -> Void) -> [ServicePlace]?
  /// As `places`, as far as the DNS has said them: it isn't asked.
  func knownPlaces(of origin: Origin) -> [ServicePlace]
  /// A connection was made to a place, where it wasn't to those that are preferred: from now on it comes first.
  func prefer(_ place: ServicePlace, of origin: Origin)
  /// A place hasn't proved to serve the origin: it is left alone until the DNS is asked again.
  func drop(_ place: ServicePlace, of origin: Origin)
}

extension ServicePlaces {
  /// The keys by which a ClientHello to a place of `origin` is encrypted, as far as the DNS has said them; nil if it has said none.
  func encryptedHello(of origin: Origin, at host: String, _ port: Int) -> EncryptedHelloKeys? {
    ServiceBindingRules.encryptedHello(knownPlaces(of: origin), at: host, port)
  }

  /// Whether a connection for `origin` may lead to a place: not to one without keys where all the records have some.
  func allow(_ host: String, _ port: Int, for origin: Origin) -> Bool {
    let known = knownPlaces(of: origin)
    return !ServiceBindingRules.areAllThereIs(known) || ServiceBindingRules.encryptedHello(known, at: host, port) != nil
  }
}
