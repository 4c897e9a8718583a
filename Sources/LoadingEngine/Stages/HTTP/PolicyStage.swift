import HTTPTransport
import LoadingModel
import ProtocolRules

/// Repeats a request after a status or an error that may be temporary, if the app has asked for that by a retry policy: of the request, or else
/// of the session.
///
/// It is below the cache, so that each attempt goes to the server, and above the stages that repeat requests silently. Bytes that an upload has
/// sent aren't sent again: if the server has named an upload resource, `UploadResumptionStage`, further up, handles the error.
struct PolicyStage: Stage {
  /// The session whose loading plan has the stage.
  // `unowned(unsafe)`, because a load keeps its session alive while it runs: the reference needs neither counting nor checks.
  unowned(unsafe) let session: LoadSession

  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool { true }

  func settle(_ loaded: inout Loaded, to request: LoadRequest, _ load: Load) -> Bool {
    guard let policy = session.retryPolicy(for: request) else { return true }
    return loaded.response.status.map { !policy.statuses.contains($0) } ?? true
  }

  func answer(
    _ outcome: consuming Outcome, to request: LoadRequest, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    guard let policy = session.retryPolicy(for: request) else { return try outcome.get() }
    var (attempts, waited) = (1, 0.0)
    while true {
      do throws(LoadError) {
        let loaded = try (consume outcome).get()
        let (status, field) = (loaded.response.status ?? 0, loaded.response.httpHead?.headers.first("Retry-After"))
        guard let wait = wait(policy, .status(status, retryAfter: field), request, next.load, attempts, waited) else { return loaded }
        try await loaded.discardBody(context)
        context.record.response = loaded.response
        context.observer?.willRepeat(after: .status(status))
        waited += wait
        try await context.pause(seconds: wait)
      } catch {
        // If the load was interrupted, also during one of the pauses here, nothing is repeated.
        guard context.failure == nil, !next.load.isResumed(request),
          let wait = wait(policy, .error(error), request, next.load, attempts, waited)
        else { throw error }
        context.observer?.willRepeat(after: .error(error))
        waited += wait
        try await context.pause(seconds: wait)
      }
      attempts += 1
      next.load.refusedAttempts = 0
      context.beginTransaction(request)
      outcome = await next.outcome(request, context)
    }
  }

  /// Seconds until the request is repeated; nil if it isn't.
  private func wait(
    _ policy: RetryPolicy, _ outcome: RetryPolicyRules.Outcome, _ request: LoadRequest, _ load: Load, _ attempts: Int, _ waited: Double
  ) -> Double? {
    let decision = RetryPolicyRules.decide(
      policy, outcome, request, bodyWasTouched: load.hasRead(request.body), attempts: attempts, waited: waited,
      chance: Double.random(in: 0...1), now: load.context.clock.date)
    guard case .retry(let seconds) = decision, session.retryBudget.take(policy, load.context.clock.now) else { return nil }
    return seconds
  }
}
