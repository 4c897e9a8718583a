import Foundation
import HTTPPolicy
import HTTPTransport
import LoadingModel

/// Repeats a request whose reused connection turned out dead (RFC 9110, 9.2.2; RFC 9112, 9.3.1), one that the server surely hasn't acted on
/// (RFC 9113, 8.7), and one that came over the wrong connection (RFC 9110, 15.5.20).
struct RetryStage: Stage {
  unowned let session: LoadSession

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    defer { context.connectionNeed = .any }
    var attempts: [RetryCause: Int] = [:]
    var mayBeMisdirected = true
    while true {
      do throws(LoadError) {
        let loaded = try await next(request, context)
        guard loaded.response.status == 421, mayBeMisdirected, let origin = request.target?.origin,
          RetryRules.repeatsMisdirected(
            request, isReusedConnection: context.record.isReusedConnection, bodyWasTouched: request.body.hasBeenRead)
        else { return loaded }
        mayBeMisdirected = false
        try await loaded.discardBody(context)
        context.record.response = loaded.response
        context.connectionNeed = session.pool.misdirected(origin, context)
      } catch {
        guard context.failure == nil, let cause = RetryCause(error), repeats(request, after: error, attempts[cause, default: 0]) else {
          throw error
        }
        prepare(request, context, after: error)
        // It follows no other again.
        if error.unprocessed != .unanswered { attempts[cause, default: 0] += 1 }
      }
      context.beginTransaction(request)
    }
  }

  private func repeats(_ request: LoadRequest, after error: LoadError, _ attempts: Int) -> Bool {
    let decision = RetryRules.decide(after: error, request: request, retriesSoFar: attempts, bodyWasTouched: request.body.hasBeenRead)
    if case .retry = decision { return true }
    return false
  }

  /// Sees to it that the next attempt doesn't meet with the same.
  private func prepare(_ request: LoadRequest, _ context: LoadContext, after error: LoadError) {
    guard let origin = request.target?.origin else { return }
    switch error.unprocessed {
    case .needsHTTP1: session.pool.restrict(origin)
    case .refused, .unanswered: break
    case nil: session.pool.closeIdle(to: session.pool.destination(origin, context))
    }
  }
}

extension LoadRequest.Body {
  /// Whether a part of it is gone for good.
  fileprivate var hasBeenRead: Bool {
    if case .stream(let stream) = self { stream.streamStatus != .notOpen } else { false }
  }
}
