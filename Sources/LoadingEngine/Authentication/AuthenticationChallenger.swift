import LoadingModel
import ProtocolRules

/// The peer that demands authentication: the origin server, or the proxy on the way to it.
enum AuthenticationChallenger {
  case server
  case proxy(Proxy, Route)

  var peer: ProtectionSpace.Peer { isProxy ? .proxy : .server }

  var isProxy: Bool {
    if case .proxy = self { true } else { false }
  }

  func origin(_ target: Target) -> Origin {
    switch self {
    case .server: target.origin
    case .proxy(let proxy, _): proxy.origin
    }
  }

  /// Whether the peer is a proxy that opens a tunnel: an authentication that belongs to a connection is then part of opening it.
  var opensTunnel: Bool {
    if case .proxy(_, .tunnel) = self { true } else { false }
  }

  /// The login from the proxy's settings, which is used without asking the app; nil if there is none.
  var settled: Credential? {
    guard case .proxy(let proxy, _) = self, let login = proxy.login else { return nil }
    return Credential(.password(user: login.user, password: login.password), persistence: .forSession)
  }

  /// The parts of the request that an authorization is computed from: the request itself, or the CONNECT for a tunnel.
  func signed(_ request: LoadRequest, _ target: Target) -> AuthorizedRequest {
    switch self {
    case .server: AuthorizedRequest(method: request.method, origin: target.origin, uri: target.pathAndQuery)
    case .proxy(_, let route): AuthorizedRequest(request, target, over: route)
    }
  }

  func signedBody(_ request: LoadRequest) -> LoadRequest.Body {
    opensTunnel ? .none : request.body
  }

  /// Whether the response to an authorized request shows that the authorization was accepted.
  func isSatisfied(by head: ResponseHead) -> Bool {
    guard opensTunnel || head.status != ProtectionSpace.Peer.proxy.status else { return false }
    return isProxy || head.status < 500
  }

  /// Whether a response may be a challenge of this peer. Whatever comes through a tunnel is the origin's, even a 407.
  func asks(in loaded: Loaded) -> Bool { !opensTunnel || loaded.body is TunnelRefusal }

  /// Whether a response other than a refusal can have this peer's authentication fields: those that come through a tunnel are the origin's.
  func speaks(in head: ResponseHead) -> Bool { !opensTunnel }
}
