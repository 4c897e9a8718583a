import HTTPTransport
import LoadingModel
import ProtocolRules

/// Chooses what loads the request: the app's protocol classes first, then the built-in schemes. http and https requests that pass go on to HTTP's
/// stages.
struct ProtocolStage: Stage {
  /// The session whose loading plan has the stage.
  // `unowned(unsafe)`, because a load keeps its session alive while it runs: the reference needs neither counting nor checks.
  unowned(unsafe) let session: LoadSession

  /// True for plain http and https, the common case, which is decided without parsing the URL again.
  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool {
    guard context.failure == nil, ProtocolStage.isPlainHTTP(request, load), let path = request.target?.pathAndQuery else { return false }
    return !LocationRules.mayHaveDotSegments(path)
  }

  /// Whether it is a data or upload load over http or https that none of the app's classes can take.
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

  /// The request with the dot segments of its path removed (RFC 3986, 6.2.2.3), so that the same path is requested, stored and matched with
  /// cookies. URLs of redirects have none any more.
  private static func withoutDotSegments(_ request: LoadRequest) -> LoadRequest {
    guard let path = request.target?.pathAndQuery, LocationRules.mayHaveDotSegments(path), let url = request.url else { return request }
    var request = request
    request.mutate { $0.url = LocationRules.withoutDotSegments(url) }
    return request
  }
}
