import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules

// The opening handshake of a WebSocket is a load of its own kind: the app's protocol classes aren't asked, as Apple doesn't ask them.

extension ProtocolStage {
  func loadWebSocket(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard let url = request.url else {
      throw LoadError(.unsupportedURL, .admission, "the request has no URL; set one before making the task")
    }
    let scheme = url.scheme?.lowercased() ?? ""
    guard let webSocketScheme = WebSocketScheme.ofTask[scheme] else {
      throw LoadError(.unsupportedURL, .admission, "“\(scheme):” isn't a WebSocket's scheme; use wss: or ws:")
    }
    guard webSocketScheme != scheme else { return try await load(opening: request, context, next) }
    // From a request that spells it as HTTP, or a redirect, which mostly does.
    var renamed = request
    renamed.mutate { $0.url = URL(string: webSocketScheme + url.absoluteString.dropFirst(scheme.count)) }
    next.client.requestChanged(renamed)
    return try await load(opening: renamed, context, next)
  }

  private func load(opening request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard request.target != nil else {
      throw LoadError(.badURL, .admission, "the URL names no host, or a port that isn't a number up to 65535")
    }
    return try await Next(session.plan.webSocket, next.load)(request, context)
  }
}

/// A connection that may have been switched to another protocol: the server's answer says whether it has.
struct SwitchedConnection: Sendable {
  let head: ResponseHead
  let exchange: Exchange
}

extension Loaded {
  /// The connection that the response came over.
  func switched() throws(LoadError) -> SwitchedConnection {
    guard let head = response.httpHead, let exchange = body as? Exchange else {
      throw LoadError(.badServerResponse, .head, "the server's answer doesn't open a WebSocket; check the URL")
    }
    return SwitchedConnection(head: head, exchange: exchange)
  }
}
