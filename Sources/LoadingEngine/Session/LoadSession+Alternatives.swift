import HTTPTransport
import LoadingModel
import ProtocolRules

// Where else origins are served, as they say in Alt-Svc (RFC 7838).

extension LoadSession {
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
    guard !alternatives.isEmpty, alternativesWatch == nil else { return }
    alternativesWatch = settings.network.observe { [weak self] _ in
      self?.onLoop { [weak self] in self?.alternatives.networkChanged() }
    }
  }
}
