import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules

// Loads the opening handshake of a WebSocket. The app's protocol classes aren't asked, as on Apple's platforms.

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
    // The app's request, or more often a redirect, has HTTP's scheme: it is replaced by the WebSocket's.
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

/// A connection that the server's response may have switched to the WebSocket protocol; the head says whether it has.
struct SwitchedConnection: Sendable {
  let head: ResponseHead
  let exchange: Exchange
}

extension Loaded {
  /// The connection over which the response came. Throws if the response didn't come over one.
  func switched() throws(LoadError) -> SwitchedConnection {
    guard let head = response.httpHead, let exchange = body as? Exchange else {
      throw LoadError(.badServerResponse, .head, "the server's answer doesn't open a WebSocket; check the URL")
    }
    return SwitchedConnection(head: head, exchange: exchange)
  }
}
