import HTTPTransport
import LoadingModel
import ProtocolRules

// Where else origins are served, as they say in Alt-Svc (RFC 7838).

extension LoadSession {
  /// Where `origin` is served over HTTP/3, as far as is known.
  func alternative(of origin: Origin) -> AlternativeEndpoint? {
    guard let service = alternatives.services(of: origin, now: clock.now).first(where: { $0.protocolName == "h3" }) else { return nil }
    return AlternativeEndpoint(host: service.host ?? origin.host, port: service.port)
  }

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
    alternatives.note(head, from: origin, now: clock.now)
    if alternative(of: origin) != nil { pool.alternativeAppeared(origin) }
    guard !alternatives.isEmpty, alternativesWatch == nil else { return }
    alternativesWatch = settings.network.observe { [weak self] _ in
      self?.onLoop { [weak self] in self?.alternatives.networkChanged() }
    }
  }
}
