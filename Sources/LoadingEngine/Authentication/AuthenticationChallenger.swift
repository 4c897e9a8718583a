import LoadingModel
import ProtocolRules

/// The peer that asks for a credential: the origin server, or the proxy on the way to it.
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

  /// Whether it asks before it opens a tunnel: a method of the connection's is then part of opening it.
  var opensTunnel: Bool {
    if case .proxy(_, .tunnel) = self { true } else { false }
  }

  /// The login that the settings give, to be used without asking the app.
  var settled: Credential? {
    guard case .proxy(let proxy, _) = self, let login = proxy.login else { return nil }
    return Credential(.password(user: login.user, password: login.password), persistence: .forSession)
  }

  /// What an authorization vouches for.
  func signed(_ request: LoadRequest, _ target: Target) -> AuthorizedRequest {
    switch self {
    case .server: AuthorizedRequest(method: request.method, origin: target.origin, uri: target.pathAndQuery)
    case .proxy(_, let route): AuthorizedRequest(request, target, over: route)
    }
  }

  func signedBody(_ request: LoadRequest) -> LoadRequest.Body {
    opensTunnel ? .none : request.body
  }

  /// Whether what follows an authorization says that it was right.
  func isSatisfied(by head: ResponseHead) -> Bool {
    guard opensTunnel || head.status != ProtectionSpace.Peer.proxy.status else { return false }
    return isProxy || head.status < 500
  }

  /// Whether a response may be a challenge of this peer: what has come through a tunnel is the origin's, a 407 as well.
  func asks(in loaded: Loaded) -> Bool { !opensTunnel || loaded.body is TunnelRefusal }

  /// Whether a response that isn't a refusal can have this peer's authentication fields: what comes through a tunnel is the origin's.
  func speaks(in head: ResponseHead) -> Bool { !opensTunnel }
}
