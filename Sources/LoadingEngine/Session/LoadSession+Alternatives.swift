import HTTPTransport
import LoadingModel
import ProtocolRules

// The alternatives of origins, by Alt-Svc (RFC 7838) and the DNS.

extension LoadSession {
  /// Where HTTP/3 for `origin` may be tried: as the origin has advertised, else as the DNS says; nil if nothing is known (yet). Not to be called
  /// for requests through a proxy, because it may ask the DNS.
  package func alternative(of origin: Origin) -> AlternativeEndpoint? { alternatives.endpoint(of: origin) }

  /// Notes the alternatives in a response's head from `origin`.
  func noteAlternatives(_ head: ResponseHead, _ origin: Origin, _ context: LoadContext) {
    guard head.headers.contains("alt-svc"), context.record.connection?.isTrustOverridden != true else { return }
    alternatives.note(head, from: origin)
  }

  /// Connects the pool with the alternatives: notes what servers announce outside of responses (ALTSVC; RFC 7838, 4) or refute, and tells the
  /// pool of alternatives that are found later.
  func listenToAnnouncements() {
    pool.alternatives.announced = { [weak self] value, origin in
      self?.alternatives.note(ResponseHead(status: 200, headers: HeaderFields([("Alt-Svc", value)])), from: origin)
    }
    pool.alternatives.refuted = { [weak self] endpoint, origin in self?.alternatives.forget(endpoint, of: origin) }
    alternatives.found = { [weak self] origin in self?.pool.alternatives.appeared(origin) }
  }
}
