import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// Turns the error of a proxy's 407 to CONNECT into a response, so that the stage above can answer it like any other.
struct TunnelAnswerStage: Stage {
  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool { true }

  func answer(
    _ outcome: consuming Outcome, to request: LoadRequest, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    var refusal: LoadError
    do throws(LoadError) {
      return try outcome.get()
    } catch {
      refusal = error
    }
    for _ in 0..<TunnelAnswerStage.othersLimit where isAnothers(refusal, context) {
      context.beginTransaction(request)
      do throws(LoadError) {
        return try await next(request, context)
      } catch {
        refusal = error
      }
    }
    guard let head = refusal.proxy?.answer, head.status == ProtectionSpace.Peer.proxy.status, context.failure == nil, let url = request.url
    else { throw refusal }
    let response = LoadResponse(url: url, kind: .http(head), expectedLength: 0)
    return Loaded(response: response, body: TunnelRefusal(refusal), framing: .none)
  }

  /// How often a load waits for a tunnel that was begun for another load, and is refused.
  private static let othersLimit = 8

  /// Whether the proxy has refused a tunnel that was begun for another load, or before this load's login was known: the refusal then says nothing
  /// about this load's login.
  private func isAnothers(_ refusal: LoadError, _ context: LoadContext) -> Bool {
    guard let fault = refusal.proxy, fault.answer?.status == ProtectionSpace.Peer.proxy.status, context.failure == nil,
      let own = context.terms.routeAttempt
    else { return false }
    return own.shows && fault.shown != own.showing
  }
}
