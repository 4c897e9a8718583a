import LoadingModel
import ProtocolRules
import struct Synchronization.Atomic

/// How a load gets through its proxy, and what it shows there. Owned by the load's context; confined to the event loop.
package final class RouteAttempt {
  package let route: Route
  /// Whether the load has no other route if this one isn't open.
  package var isLastWay = true
  /// The value of `Proxy-Authorization` for the request, or the tunnel, that is sent next: made when it is sent, for it may count.
  package var authorize: (() -> String?)? { didSet { showing = RouteAttempt.next() } }
  /// Begins the authentication that opens a tunnel, in the place of `authorize`, where the proxy requires one: anew for each tunnel.
  package var makeTunnelAuthenticator: (() -> (any TunnelAuthenticator)?)? { didSet { showing = RouteAttempt.next() } }
  /// Names what is shown at present: another number for each load, and whenever that changes.
  package private(set) var showing = RouteAttempt.next()

  /// Whether anything is shown.
  package var shows: Bool { authorize != nil || makeTunnelAuthenticator != nil }

  private static let count = Atomic(0)
  private static func next() -> Int { count.add(1, ordering: .relaxed).newValue }

  package init(_ route: Route) { self.route = route }
}

/// The authentication to a proxy, where that takes several messages or belongs to the connection (NTLM, Negotiate): for one tunnel, on the
/// connection that becomes it. Confined to the event loop.
package protocol TunnelAuthenticator: AnyObject {
  /// The next value of `Proxy-Authorization`; nil if no further message is to be sent.
  ///
  /// - Parameter refusal: The proxy's 407 to the last one; nil at first.
  func authorization(after refusal: ResponseHead?) async -> String?
  /// The tunnel is open: whether the proxy has proven itself, as far as it says anything about that.
  func accepts(_ answer: ResponseHead) async -> Bool
}
