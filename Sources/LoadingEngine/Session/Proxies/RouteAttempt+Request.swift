import HTTPTransport
import LoadingModel
import ProtocolRules

// The form of a request that is sent to a proxy.

extension Optional where Wrapped == RouteAttempt {
  /// The request target: in origin-form, or in absolute-form for a proxy that forwards (RFC 9112, 3.2).
  func requestTarget(_ target: Target) -> String {
    if case .forward? = self?.route { ConnectRules.absoluteForm(target) } else { target.pathAndQuery }
  }
}

extension OutgoingHead {
  /// The head with the proxy's authorization, if the proxy forwards the request. Through a tunnel the field would reach the origin.
  func passing(_ routeAttempt: RouteAttempt?) -> OutgoingHead {
    guard case .forward? = routeAttempt?.route, let authorization = routeAttempt?.authorize?(nil) else { return self }
    var head = self
    head.fields.set(ProtectionSpace.Peer.proxy.authorizationField, authorization)
    return head
  }
}
