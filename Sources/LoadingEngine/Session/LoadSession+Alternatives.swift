import HTTPTransport
import LoadingModel
import ProtocolRules

// Where else origins are served, as they say in Alt-Svc (RFC 7838), and as the DNS says.

extension LoadSession {
  /// Where HTTP/3 for `origin` may be tried: as the origin has said, else as the DNS has said. nil if there is no such place, or none is
  /// known yet. Not for requests through a proxy: the DNS may be asked.
  package func alternative(of origin: Origin) -> AlternativeEndpoint? { alternatives.endpoint(of: origin) }

  /// A response's head has come from `origin`.
  func noteAlternatives(_ head: ResponseHead, _ origin: Origin, _ context: LoadContext) {
    guard head.headers.contains("alt-svc"), context.record.connection?.isTrustOverridden != true else { return }
    alternatives.note(head, from: origin)
  }

  /// From now on what servers announce outside of responses is noted as well (ALTSVC; RFC 7838, 4), and the pool is told what is found.
  func listenToAnnouncements() {
    pool.alternatives.announced = { [weak self] value, origin in
      self?.alternatives.note(ResponseHead(status: 200, headers: HeaderFields([("Alt-Svc", value)])), from: origin)
    }
    pool.alternatives.refuted = { [weak self] endpoint, origin in self?.alternatives.forget(endpoint, of: origin) }
    alternatives.found = { [weak self] origin in self?.pool.alternatives.appeared(origin) }
  }
}
