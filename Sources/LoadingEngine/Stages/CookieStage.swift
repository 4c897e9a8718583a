import HTTPPolicy
import HTTPTransport
import LoadingModel
import Stores

/// Attaches the stored cookies; once per hop, so that a redirect sees what the response before it has set.
///
/// Stands above the cache, which must know the field for `Vary: Cookie`. What responses set is taken by `CookieReceiptStage`.
struct CookieStage: Stage {
  let settings: CookieSettings

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard case .stored = settings.sending, request.shouldHandleCookies else { return try await next(request, context) }
    if context.cookies.isTouched { context.cookies = CookieProgress() }
    // The common case, without a further async call.
    if case .store(let store) = settings.storage, let target = request.target {
      if store.holdsNothing(for: target.origin.host) { return try await next(request, context) }
      guard case .field(let field) = store.field(for: CookieRequest(request, target, context)) else {
        return try await waiting(request, context, next)
      }
      guard let field else { return try await next(request, context) }
      return try await next(request.attaching(field, context), context)
    }
    return try await waiting(request, context, next)
  }

  private func waiting(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard let field = try await settings.field(for: request, context, next.client) else { return try await next(request, context) }
    return try await next(request.attaching(field, context), context)
  }
}

/// Stores what responses from the network set: redirects, challenges and errors as well, but not what the cache answers.
///
/// Stands below the stages that repeat a request, so that a login which follows a 401 has the cookies that came with it.
struct CookieReceiptStage: Stage {
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

extension CookieSettings {
  /// The field to send, which may have to be waited for.
  func field(
    for request: LoadRequest, _ context: LoadContext, _ client: any LoadClient
  ) async throws(LoadError) -> String? {
    guard case .store(let store) = storage else { return try await client.appCookieField(for: request) }
    guard let wanted = CookieRequest(request, context) else { return nil }
    for _ in 0..<2 {
      if case .field(let field) = store.field(for: wanted) { return field }
      try await AppWait<Void>.ask(context) { wait in store.refresh { wait.answer(()) } }
    }
    // Another process writes without end: what was read a moment ago has to do.
    return store.field(for: wanted, outdated: .tolerated)
  }
}

extension LoadRequest {
  /// Apple's choice: stored cookies stand in place of a `Cookie` field of the app's own, which is kept where there are none.
  fileprivate func attaching(_ field: String, _ context: LoadContext) -> LoadRequest {
    var request = self
    if !context.cookies.isAttached {
      context.cookies.appField = headers.first("Cookie")
      context.cookies.isAttached = true
    }
    request.mutateHeaders { $0.set("Cookie", field) }
    return request
  }
}

extension CookieRequest {
  fileprivate init?(_ request: LoadRequest, _ context: LoadContext) {
    guard let target = request.target else { return nil }
    self.init(request, target, context)
  }

  fileprivate init(_ request: LoadRequest, _ target: Target, _ context: LoadContext) {
    self.init(
      url: CookieURL(target), method: request.method, mainDocument: request.mainDocumentURL,
      isNavigation: context.redirectCount > 0 && request.mainDocumentURL != nil && context.beganAtMainDocument,
      partition: request.cookiePartitionIdentifier)
  }
}

extension LoadContext {
  /// Whether the first request was for its own main document.
  fileprivate var beganAtMainDocument: Bool {
    guard let first = allRecords.first?.request, let document = first.mainDocumentURL else { return false }
    return first.url == document
  }
}
