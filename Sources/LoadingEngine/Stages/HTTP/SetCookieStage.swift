import HTTPTransport
import LoadingModel
import Stores

/// Stores the cookies that responses from the network set: also redirects, challenges and errors, but not responses from the cache.
///
/// It is below the stages that repeat a request, so that a login after a 401 is sent with the cookies that came with the 401.
struct SetCookieStage: Stage {
  let settings: CookieSettings

  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool {
    !isOutdated(request, load)
  }

  /// Whether cookies have been set since the request's `Cookie` field was made. Stages above repeat the request with that field, so this stays
  /// true for all attempts up to the next redirect.
  private func isOutdated(_ request: LoadRequest, _ load: Load) -> Bool { request.shouldHandleCookies && load.cookies.haveChanged }

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    let current = isOutdated(request, next.load) ? try await renewed(request, next.load) : request
    return try await conclude(await next.outcome(current, context), to: current, context, next)
  }

  func settle(_ loaded: inout Loaded, to request: LoadRequest, _ load: Load) -> Bool {
    !request.shouldHandleCookies || !loaded.response.hasField("Set-Cookie")
  }

  func answer(
    _ outcome: consuming Outcome, to request: LoadRequest, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    let loaded = try outcome.get()
    do throws(LoadError) {
      try await take(loaded.response, request, next.load)
    } catch {
      loaded.body.abandon()
      throw error
    }
    return loaded
  }

  /// The request with the cookies that are stored now in place of those in its field.
  private func renewed(
    _ request: LoadRequest, _ load: Load
  ) async throws(LoadError) -> LoadRequest {
    guard case .stored = settings.sending else { return request }
    let field = try await settings.field(for: request, load)
    var request = request
    if let field {
      return request.attaching(field, load)
    } else if let own = load.cookies.appField {
      request.mutateHeaders { $0.set("Cookie", own) }
    } else if load.cookies.isAttached {
      request.mutateHeaders { $0.remove("Cookie") }
    }
    return request
  }

  private func take(
    _ response: LoadResponse, _ request: LoadRequest, _ load: Load
  ) async throws(LoadError) {
    let fields = response.httpHead?.headers.all("Set-Cookie") ?? []
    if case .never = settings.acceptance { return }
    load.cookies.haveChanged = true
    switch settings.storage {
    case .app: try await load.client.cookieStorage?.storeAppCookies(fields, for: request)
    case .store(let store):
      guard let wanted = CookieRequest(request, load) else { return }
      // The storing is waited for, so that the app gets no response whose cookies could still be lost.
      try await AppWait<Void>.room(onDisk: load.context) { wait in
        store.receive(fields, for: wanted, acceptance: settings.acceptance) { wait.answer(()) }
      }
    }
  }
}
