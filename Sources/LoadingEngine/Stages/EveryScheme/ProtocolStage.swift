import HTTPTransport
import LoadingModel
import ProtocolRules

/// Chooses what loads the request: the app's classes first, then the built-in schemes. What passes goes on to HTTP's stages.
struct ProtocolStage: Stage {
  /// Whose plan it is in.
  // `unowned(unsafe)`: a load keeps its session while it runs; nothing has to be counted or checked at each use.
  unowned(unsafe) let session: LoadSession

  /// The common case, without taking the URL's scheme out again.
  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool {
    guard context.failure == nil, ProtocolStage.isPlainHTTP(request, load), let path = request.target?.pathAndQuery else { return false }
    return !LocationRules.mayHaveDotSegments(path)
  }

  /// Whether it is a data or upload load over http or https that no class of the app's can take.
  private static func isPlainHTTP(_ request: LoadRequest, _ load: Load) -> Bool {
    switch load.kind {
    case .webSocket, .stream: return false
    case .data, .upload: break
    }
    guard load.client.customProtocols == nil, let origin = request.target?.origin else { return false }
    return origin.scheme == "https" || origin.scheme == "http"
  }

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    try context.checkpoint()
    switch next.load.kind {
    case .webSocket: return try await loadWebSocket(ProtocolStage.withoutDotSegments(request), context, next)
    case .stream: return try await Next(session.plan.stream, next.load)(request, context)
    case .data, .upload: break
    }
    if let provider = next.client.customProtocols {
      let custom = await provider.customProtocol(for: request)
      try context.checkpoint()
      if let custom {
        context.hasArrived()
        return try await custom.load(request, context, next.client)
      }
    }
    if let origin = request.target?.origin, origin.scheme == "https" || origin.scheme == "http" {
      return try await Next(session.plan.http, next.load)(ProtocolStage.withoutDotSegments(request), context)
    }
    guard let url = request.url else {
      throw LoadError(.unsupportedURL, .admission, "the request has no URL; set one before making the task")
    }
    switch url.scheme?.lowercased() {
    case "http+unix", "https+unix":
      throw LoadError(
        .badURL, .admission,
        "the URL names no Unix socket; write its path percent-encoded in the host's place: http+unix://%2Frun%2Fdocker.sock/version")
    case "http", "https":
      throw LoadError(.badURL, .admission, "the URL names no host, or a port that isn't a number up to 65535")
    case "data":
      return try await DataURLHandler().load(request, context, next.client)
    case "file":
      return try await FileURLHandler().load(request, context, next.client)
    case "ftp", "ftps":
      if let origin = request.target?.origin, try await session.proxies.forwardsFTP(to: origin, context) {
        return try await Next(session.plan.http, next.load)(request, context)
      }
      context.hasArrived()
      return try await Next(session.plan.ftp, next.load)(request, context)
    case "ws", "wss", "ws+unix", "wss+unix":
      throw LoadError(.unsupportedURL, .admission, "a WebSocket isn't loaded: make its task with webSocketTask(with:)")
    case nil:
      throw LoadError(.unsupportedURL, .admission, "the URL has no scheme; begin it with https:// or another scheme")
    case let scheme?:
      throw LoadError(
        .unsupportedURL, .admission, "no protocol handles “\(scheme):”; register a URLProtocol class for it")
    }
  }

  /// What is asked for, stored and matched with cookies is the path that the URL means (RFC 3986, 6.2.2.3). A URL that redirects lead to
  /// has no dot segments any more.
  private static func withoutDotSegments(_ request: LoadRequest) -> LoadRequest {
    guard let path = request.target?.pathAndQuery, LocationRules.mayHaveDotSegments(path), let url = request.url else { return request }
    var request = request
    request.mutate { $0.url = LocationRules.withoutDotSegments(url) }
    return request
  }
}
