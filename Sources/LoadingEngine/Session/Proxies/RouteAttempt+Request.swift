import HTTPTransport
import LoadingModel
import ProtocolRules

// What a request looks like when a proxy is sent it.

extension Optional where Wrapped == RouteAttempt {
  /// Origin-form, or absolute-form to a proxy that forwards (RFC 9112, 3.2).
  func requestTarget(_ target: Target) -> String {
    if case .forward? = self?.route { ConnectRules.absoluteForm(target) } else { target.pathAndQuery }
  }
}

extension OutgoingHead {
  /// The head with what the proxy wants to see; through a tunnel it would reach the origin.
  func passing(_ routeAttempt: RouteAttempt?) -> OutgoingHead {
    guard case .forward? = routeAttempt?.route, let authorization = routeAttempt?.authorize?() else { return self }
    var head = self
    head.fields.set(ProtectionSpace.Peer.proxy.authorizationField, authorization)
    return head
  }
}
