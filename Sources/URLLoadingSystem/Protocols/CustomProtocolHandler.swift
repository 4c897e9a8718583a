import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel

/// Loads requests through an instance of an app's `URLProtocol` class.
struct CustomProtocolHandler: ProtocolHandler, @unchecked Sendable {
  // @unchecked: immutable: a metatype, and a task, which is thread-safe.
  private let protocolClass: URLProtocol.Type
  private let task: URLSessionTask

  init(_ protocolClass: URLProtocol.Type, _ task: URLSessionTask) {
    self.protocolClass = protocolClass
    self.task = task
  }

  func load(_ request: LoadRequest, _ context: LoadContext, _ client: any LoadClient) async throws(LoadError) -> Loaded {
    guard let url = request.url else { throw LoadError(.unsupportedURL, .admission, "the request has no URL") }
    try context.checkpoint()
    let protocolClient = CustomProtocolClient(
      task: task, request: URLRequest(load: request.shownToProtocol), context: context, load: client as? TaskLoad)
    context.waits(on: protocolClient)
    context.record.requestStart = context.clock.now
    protocolClient.start(protocolClass)
    let outcome: CustomProtocolClient.Outcome
    do throws(LoadError) {
      outcome = try await protocolClient.outcome()
      if case .noResponse = outcome, (client as? TaskLoad)?.delivery.requiresResponse != false {
        throw LoadError(
          .badServerResponse, .head,
          "the URLProtocol finished without a response, which an async function returns; call urlProtocol(_:didReceive:…) first")
      }
    } catch {
      protocolClient.abandon()
      throw error
    }
    context.record.responseStart = context.clock.now
    switch outcome {
    case .noResponse:
      return Loaded(response: LoadResponse(url: url, kind: .absent, expectedLength: -1), body: protocolClient)
    case .cached(let response):
      context.record.fetchType = .localCache
      return Loaded(response: CustomProtocolHandler.loaded(response, url), body: protocolClient)
    case .response(let response, _):
      return Loaded(response: CustomProtocolHandler.loaded(response, url), body: protocolClient)
    case .redirect(let proposed, let response):
      let next = task.sendable(proposed.load)
      return Loaded(response: CustomProtocolHandler.loaded(response, url), body: protocolClient, proposedRedirect: next)
    }
  }

  static func loaded(_ response: URLResponse, _ url: URL) -> LoadResponse {
    LoadResponse(url: response.url ?? url, kind: .native(response), expectedLength: response.expectedContentLength)
  }
}
