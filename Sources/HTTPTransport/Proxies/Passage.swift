import HTTPPolicy

/// How a load gets through its proxy, and what it shows there. Owned by the load's context; confined to the event loop.
package final class Passage {
  package let route: Route
  /// The value of `Proxy-Authorization` for the request, or the tunnel, that is sent next: made when it is sent, for it may count.
  package var authorize: (() -> String?)?

  package init(_ route: Route) { self.route = route }
}
