import HTTPTransport
import LoadingModel
import Stores

/// Attaches the stored cookies to a request; once for each redirect, so that cookies set by the redirect response are sent, too.
///
/// It is above the cache, which must know the field for `Vary: Cookie`. `SetCookieStage` stores the cookies that responses set.
struct CookieStage: Stage {
  let settings: CookieSettings

  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool {
    guard attachesCookies(to: request) else { return true }
    guard !load.cookies.isTouched, request.attachedCookies.isEmpty, case .store(let store) = settings.storage, let target = request.target
    else { return false }
    return store.holdsNothing(for: target.origin.host)
  }

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard attachesCookies(to: request) else { return try await next(request, context) }
    if next.load.cookies.isTouched { next.load.cookies = CookieProgress() }
    guard let outgoing = withKnown(request, next.load) else { return try await next(try await waiting(request, next.load), context) }
    return try await next(outgoing, context)
  }

  private func attachesCookies(to request: LoadRequest) -> Bool {
    if case .stored = settings.sending { request.shouldHandleCookies } else { false }
  }

  /// The request with its stored cookies; nil if that takes waiting, for the disk or the app.
  private func withKnown(_ request: LoadRequest, _ load: Load) -> LoadRequest? {
    guard case .store(let store) = settings.storage, let target = request.target else { return nil }
    guard case .field(let field) = store.field(for: CookieRequest(request, target, load)) else { return nil }
    return field.map { request.attaching($0, load) } ?? request
  }

  private func waiting(_ request: LoadRequest, _ load: Load) async throws(LoadError) -> LoadRequest {
    guard let field = try await settings.field(for: request, load) else { return request }
    return request.attaching(field, load)
  }
}
