import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel

/// Loads through an app's `URLProtocol` class.
struct CustomProtocolHandler: ProtocolHandler, @unchecked Sendable {
  // @unchecked: a metatype and a thread-safe task.
  private let protocolClass: URLProtocol.Type
  private let task: URLSessionTask

  init(_ protocolClass: URLProtocol.Type, _ task: URLSessionTask) {
    self.protocolClass = protocolClass
    self.task = task
  }

  func load(_ request: LoadRequest, _ context: LoadContext, _ client: any LoadClient) async throws(LoadError) -> Loaded {
    guard let url = request.url else { throw LoadError(.badURL, .admission, "the request has no URL") }
    let conversation = ProtocolConversation(
      task: task, request: CustomProtocolHandler.asSeen(request), context: context, load: client as? TaskLoad)
    context.waits(on: conversation)
    context.record.requestStart = context.clock.now
    conversation.start(protocolClass)
    let outcome: ProtocolConversation.Outcome
    do throws(LoadError) {
      outcome = try await conversation.outcome()
    } catch {
      conversation.abandon()
      throw error
    }
    context.record.responseStart = context.clock.now
    switch outcome {
    case .response(let response):
      return Loaded(response: CustomProtocolHandler.loaded(response, url), body: conversation)
    case .redirect(let proposed, let response):
      return Loaded(response: CustomProtocolHandler.loaded(response, url), body: conversation, proposedRedirect: proposed.load)
    }
  }

  /// As on Apple's platforms, a body in memory or in a file reaches the protocol as a stream.
  private static func asSeen(_ request: LoadRequest) -> URLRequest {
    var seen = request
    switch request.body {
    case .data(let body): seen.mutate { $0.body = .stream(InputStream(data: body)) }
    case .file(let url, _, _): seen.mutate { $0.body = InputStream(url: url).map { .stream($0) } ?? .none }
    case .none, .stream, .suppliedStream: break
    }
    return URLRequest(load: seen)
  }

  private static func loaded(_ response: URLResponse, _ url: URL) -> LoadResponse {
    LoadResponse(url: response.url ?? url, kind: .native(response), expectedLength: response.expectedContentLength)
  }
}
