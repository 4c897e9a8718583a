import HTTPPolicy
import LoadingModel

/// What a connection leads to, and on which way: connections serve loads of the same destination.
package struct Destination: Sendable, Hashable {
  package let origin: Origin
  package let route: Route

  package init(_ origin: Origin, _ route: Route = .direct) {
    self.origin = origin
    self.route = route
  }
}
