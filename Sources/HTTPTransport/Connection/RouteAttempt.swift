import LoadingModel
import ProtocolRules
import struct Synchronization.Atomic

/// One load's use of its proxy, and the credentials that it sends to it. Owned by the load's context; confined to the event loop.
package final class RouteAttempt {
  package let route: Route
  /// Whether this is the last of the load's proxies and routes: then the proxy is given its full time to answer.
  package var isLastWay = true
  /// Makes the value of `Proxy-Authorization` for the request or CONNECT that is sent next. Called when it is sent, as Digest counts the requests, and
  /// signs their targets: `tunnel` is the origin that a CONNECT is for, nil for a request that the proxy forwards.
  package var authorize: ((_ tunnel: Origin?) -> String?)? { didSet { showing = RouteAttempt.next() } }
  /// Makes the authentication that opens a tunnel in several messages; used in place of `authorize` where it is set. Called anew for each tunnel.
  package var makeTunnelAuthenticator: (() -> (any TunnelAuthenticator)?)? { didSet { showing = RouteAttempt.next() } }
  /// A number for the credentials that are set now: it changes with each change of them, and no two loads have the same.
  package private(set) var showing = RouteAttempt.next()

  /// Whether the load sends the proxy any credentials.
  package var shows: Bool { authorize != nil || makeTunnelAuthenticator != nil }

  private static let count = Atomic(0)
  private static func next() -> Int { count.add(1, ordering: .relaxed).newValue }

  package init(_ route: Route) { self.route = route }
}

/// An authentication to a proxy that takes several messages or belongs to the connection (NTLM, Negotiate), for one tunnel, on the connection that
/// becomes the tunnel. Confined to the event loop.
package protocol TunnelAuthenticator: AnyObject {
  /// The next value of `Proxy-Authorization`; nil if no further message is to be sent.
  ///
  /// - Parameter refusal: The proxy's 407 to the last one; nil at first.
  func authorization(after refusal: ResponseHead?) async -> String?
  /// Whether the proxy's 2xx to the CONNECT, `answer`, is accepted: false if its authentication fields prove the proxy's
  /// identity wrongly; true if it has no such fields.
  func accepts(_ answer: ResponseHead) async -> Bool
}
