import HTTPTransport
import LoadingModel
import Stores

/// Attaches the stored cookies; once per hop, so that a redirect sees what the response before it has set.
///
/// It is above the cache, which must know the field for `Vary: Cookie`. What responses set is taken by `SetCookieStage`.
struct CookieStage: Stage {
  let settings: CookieSettings

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard case .stored = settings.sending, request.shouldHandleCookies else { return try await next(request, context) }
    if next.load.cookies.isTouched { next.load.cookies = CookieProgress() }
    // The common case, without a further async call.
    if case .store(let store) = settings.storage, let target = request.target {
      if store.holdsNothing(for: target.origin.host) { return try await next(request, context) }
      guard case .field(let field) = store.field(for: CookieRequest(request, target, next.load)) else {
        return try await waiting(request, context, next)
      }
      guard let field else { return try await next(request, context) }
      return try await next(request.attaching(field, next.load), context)
    }
    return try await waiting(request, context, next)
  }

  private func waiting(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard let field = try await settings.field(for: request, next.load) else { return try await next(request, context) }
    return try await next(request.attaching(field, next.load), context)
  }
}
