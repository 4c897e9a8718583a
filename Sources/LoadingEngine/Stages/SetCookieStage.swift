import HTTPTransport
import LoadingModel
import Stores

/// Stores what responses from the network set: redirects, challenges and errors as well, but not what the cache answers.
///
/// It is below the stages that repeat a request, so that a login which follows a 401 has the cookies that came with it.
struct SetCookieStage: Stage {
  let settings: CookieSettings

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard request.shouldHandleCookies else { return try await next(request, context) }
    let current = context.cookies.haveChanged ? try await renewed(request, context, next.client) : request
    let loaded = try await next(current, context)
    guard loaded.response.hasField("Set-Cookie") else { return loaded }
    do throws(LoadError) {
      try await take(loaded.response, current, context, next.client)
    } catch {
      loaded.body.abandon()
      throw error
    }
    return loaded
  }

  /// The request with the cookies of now in place of those it was given.
  private func renewed(
    _ request: LoadRequest, _ context: LoadContext, _ client: any LoadClient
  ) async throws(LoadError) -> LoadRequest {
    context.cookies.haveChanged = false
    guard case .stored = settings.sending else { return request }
    let field = try await settings.field(for: request, context, client)
    var request = request
    if let field {
      return request.attaching(field, context)
    } else if let own = context.cookies.appField {
      request.mutateHeaders { $0.set("Cookie", own) }
    } else if context.cookies.isAttached {
      request.mutateHeaders { $0.remove("Cookie") }
    }
    return request
  }

  private func take(
    _ response: LoadResponse, _ request: LoadRequest, _ context: LoadContext, _ client: any LoadClient
  ) async throws(LoadError) {
    let fields = response.httpHead?.headers.all("Set-Cookie") ?? []
    if case .never = settings.acceptance { return }
    context.cookies.haveChanged = true
    switch settings.storage {
    case .app: try await client.storeAppCookies(fields, for: request)
    case .store(let store):
      guard let wanted = CookieRequest(request, context) else { return }
      // The app sees no response whose cookies could still be lost.
      try await AppWait<Void>.ask(context) { wait in
        store.receive(fields, for: wanted, acceptance: settings.acceptance) { wait.answer(()) }
      }
    }
  }
}
