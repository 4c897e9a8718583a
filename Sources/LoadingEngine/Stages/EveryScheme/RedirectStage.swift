import HTTPTransport
import LoadingModel
import ProtocolRules

/// Follows redirects: asks the rules, then the app, then sends the new request through the stages below.
struct RedirectStage: Stage {
  /// The most redirects of one load, as Apple documents.
  private static let limit = 16

  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool { true }

  func settle(_ loaded: inout Loaded, to request: LoadRequest, _ load: Load) -> Bool {
    loaded.proposedRedirect == nil && loaded.response.status.map { (300..<400).contains($0) } != true
  }

  func answer(
    _ outcome: consuming Outcome, to request: LoadRequest, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    var request = request
    var hops = 0
    while true {
      switch try await redirection(consume outcome, request, hops, next) {
      case .none(let loaded): return loaded
      case .to(let target): request = target
      }
      hops += 1
      next.load.redirectCount = hops
      next.load.refusedAttempts = 0
      outcome = await next.outcome(request, context)
    }
  }

  /// Whether a response is redirected, and to which request.
  private enum Redirection {
    case none(Loaded)
    case to(LoadRequest)
  }

  private func redirection(
    _ outcome: consuming Outcome, _ request: LoadRequest, _ hops: Int, _ next: Next
  ) async throws(LoadError) -> Redirection {
    let loaded = try (consume outcome).get()
    guard let proposed = try proposal(loaded, request, hops), let answer = try await follow(loaded, to: proposed, next) else {
      return .none(loaded)
    }
    return .to(answer)
  }

  /// The request that the app wants to be sent after a redirect; nil if the redirect response itself is to be the result.
  // Not inlined: redirects are rare, and its copies would take room in the stack frame of each waiting load.
  @inline(never)
  private func follow(_ loaded: Loaded, to proposed: LoadRequest, _ next: Next) async throws(LoadError) -> LoadRequest? {
    let context = next.load.context
    guard let redirects = next.client.redirects, let answer = await redirects.willRedirect(loaded.response, to: proposed) else {
      return nil
    }
    if let failure = context.failure {
      loaded.body.abandon()
      throw failure
    }
    try await loaded.discardBody(context)
    context.record.response = loaded.response
    if context.record.responseEnd == nil { context.record.responseEnd = context.clock.now }
    context.beginTransaction(answer)
    context.noteActivity()
    next.client.requestChanged(answer)
    return answer
  }

  // Not inlined: redirects are rare, and its copies would take room in the stack frame of each waiting load.
  @inline(never)
  private func proposal(_ loaded: Loaded, _ request: LoadRequest, _ hops: Int) throws(LoadError) -> LoadRequest? {
    if let proposed = loaded.proposedRedirect {
      guard hops < RedirectStage.limit else {
        loaded.body.abandon()
        throw LoadError(.httpTooManyRedirects, .redirect, "more than \(RedirectStage.limit) redirects in a row")
      }
      return proposed
    }
    guard let status = loaded.response.status, (300..<400).contains(status), let head = loaded.response.httpHead else { return nil }
    do throws(LoadError) {
      switch RedirectDecision.decide(request: request, head: head, url: loaded.response.url, hops: hops, limit: RedirectStage.limit) {
      case .final: return nil
      case .follow(let proposed): return proposed
      case .fail(let error): throw error
      }
    } catch {
      loaded.body.abandon()
      throw error
    }
  }
}
