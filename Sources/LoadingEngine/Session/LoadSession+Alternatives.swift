import HTTPPolicy
import HTTPTransport
import LoadingModel

// Where else origins are served, as they say in Alt-Svc (RFC 7838).

extension LoadSession {
  /// A response's head has come from `origin`.
  func noteAlternatives(_ head: ResponseHead, _ origin: Origin, _ context: LoadContext) {
    guard head.headers.contains("alt-svc"), context.record.connection?.isTrustOverridden != true else { return }
    alternatives.note(head, from: origin, now: clock.now)
    guard !alternatives.isEmpty, alternativesWatch == nil else { return }
    alternativesWatch = settings.network.observe { [weak self] _ in
      self?.onLoop { [weak self] in self?.alternatives.networkChanged() }
    }
  }
}
