import HTTPPolicy
import HTTPTransport
import LoadingModel

/// Repeats a request whose reused connection turned out dead (RFC 9110, 9.2.2; RFC 9112, 9.3.1).
struct RetryStage: Stage {
  unowned let session: LoadSession

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    var attempts = 0
    while true {
      do throws(LoadError) {
        return try await next(request, context)
      } catch {
        guard context.failure == nil, case .retry = RetryRules.decide(after: error, request: request, retriesSoFar: attempts) else {
          throw error
        }
        if let origin = request.target?.origin { session.pool.closeIdle(to: Destination(origin, context.route)) }
        attempts += 1
        context.beginTransaction(request)
      }
    }
  }
}
