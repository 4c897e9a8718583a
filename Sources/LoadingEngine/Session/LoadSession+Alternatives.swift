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
    noteAlternatives(head, origin)
  }

  /// From now on what servers announce outside of responses is noted as well (ALTSVC; RFC 7838, 4).
  func listenToAnnouncements() {
    pool.alternativesAnnounced = { [weak self] value, origin in
      self?.noteAlternatives(ResponseHead(status: 200, headers: HeaderFields([("Alt-Svc", value)])), origin)
    }
  }

  private func noteAlternatives(_ head: ResponseHead, _ origin: Origin) {
    alternatives.prepare()
    alternatives.said.note(head, from: origin, now: clock.date)
    if alternative(of: origin) != nil { pool.alternativeAppeared(origin) }
  }
}
