import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores

/// Answers requests from the session's cache where the rules allow it, and stores responses from the network (RFC 9111).
///
/// It is below decoding, so that the store keeps bodies as received, and above authentication, which answers a 401 before the cache gets it.
struct CacheStage: Stage {
  /// The session whose loading plan has the stage.
  // `unowned(unsafe)`, because a load keeps its session alive while it runs: the reference needs neither counting nor checks.
  unowned(unsafe) let session: LoadSession
  let cache: any CacheAccess
  private let sessionPolicy: UInt

  init(session: LoadSession, cache: any CacheAccess) {
    self.session = session
    self.cache = cache
    sessionPolicy = session.settings.cachePolicy
  }

  /// True if the request's answer comes from the network, the common case. `settle` and `answer` then do what `CacheTransaction.fetch` does for
  /// such a request, and the load waits without this stage's frames.
  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool {
    guard let target = request.target, let store = cache.store(for: load.client, context) else { return true }
    return !load.client.readsForStoreAlone && isFetched(request, target, store, context)
  }

  /// Whether no stored response can answer the request or be validated by it, and the request is sent as it is: either nothing is stored for its URL,
  /// and neither request nor policy concerns the cache, or the policy leaves the store out.
  private func isFetched(_ request: LoadRequest, _ target: Target, _ store: any ResponseStore, _ context: LoadContext) -> Bool {
    switch CacheRules.policy(request: request.cachePolicy, session: sessionPolicy) {
    case .useProtocolCachePolicy: CacheRules.isPlain(request) && store.holdsNothing(for: target)
    // Who observes the load is told of the decision, by `load`.
    case .reloadIgnoringLocalCacheData: request.method == "GET" && context.observer == nil
    case .returnCacheDataElseLoad, .returnCacheDataDontLoad, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData: false
    }
  }

  private func storing(_ request: LoadRequest, _ next: Next) -> StoringTransaction? {
    guard let target = request.target, let store = cache.store(for: next.client, next.load.context) else { return nil }
    let transaction = CacheTransaction(
      session: session, store: store, target: target, request: request, context: next.load.context, next: next)
    return StoringTransaction(transaction: transaction, found: nil)
  }

  /// Gives the response a body that is stored while it is read, if it may be stored. False if the stored responses for its URL must be removed
  /// first, which `answer` does.
  func settle(_ loaded: inout Loaded, to request: LoadRequest, _ load: Load) -> Bool {
    // The list of stages is empty, because nothing more is loaded for this response.
    guard case .http(let head) = loaded.response.kind, let storing = storing(request, Next([], load)) else { return true }
    guard let kept = try? storing.keepGET(loaded, head) else { return false }
    loaded = kept
    return true
  }

  func answer(
    _ outcome: consuming Outcome, to request: LoadRequest, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    let loaded = try outcome.get()
    return try await storing(request, next)?.keep(loaded) ?? loaded
  }

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard let target = request.target, let store = cache.store(for: next.client, context) else { return try await next(request, context) }
    let policy = CacheRules.policy(request: request.cachePolicy, session: sessionPolicy)
    let transaction = CacheTransaction(session: session, store: store, target: target, request: request, context: context, next: next)
    guard CacheRules.mayAnswer(request) else {
      if policy == .returnCacheDataDontLoad { throw CacheStage.unavailable }
      return try await transaction.fetch(request, insteadOf: nil)
    }
    var found: StoredResponse?
    if policy.readsStore { found = try await transaction.find() }
    return try await answer(transaction, policy, found)
  }

  @inline(never) private func answer(_ transaction: CacheTransaction, _ policy: CacheRules.Policy, _ found: StoredResponse?)
    async throws(LoadError) -> Loaded
  {
    let request = transaction.request
    let (decision, reason) = CacheRules.judge(now: session.clock.date, request: request, policy: policy, stored: found?.facts)
    transaction.context.observer?.took(.cacheDecided(decision, reason))
    switch decision {
    case .use: return try await use(transaction, policy, found)
    case .useAndRevalidate:
      guard cache.servesLoadsWithoutTask, let found else { return try await validate(transaction, found) }
      let isAtFirst = transaction.next.load.origins.isAtFirst(transaction.target.origin)
      session.revalidations.begin(found.url, request, session, hasLeftOrigin: !isAtFirst)
      return try await use(transaction, policy, found)
    case .validate: return try await validate(transaction, found)
    case .fetch: return try await transaction.fetch(policy.outgoing(request), insteadOf: found)
    case .gatewayTimeout: return transaction.gatewayTimeout()
    case .unavailable: throw CacheStage.unavailable
    }
  }

  @inline(never) private func use(_ transaction: CacheTransaction, _ policy: CacheRules.Policy, _ found: StoredResponse?)
    async throws(LoadError) -> Loaded
  {
    if let found {
      let head = StoredFieldRules.served(found.facts, now: session.clock.date)
      if let hit = try await transaction.answer(found, head: head) { return hit }
    }
    // The stored response has gone meanwhile: evicted, or removed by another process.
    return try await answer(transaction, policy, nil)
  }

  @inline(never) private func validate(_ transaction: CacheTransaction, _ found: StoredResponse?) async throws(LoadError) -> Loaded {
    guard let found else { return try await transaction.fetch(transaction.request, insteadOf: nil) }
    return try await transaction.validate(found)
  }

  static let unavailable = LoadError(
    .resourceUnavailable, .admission,
    "the response isn't in the cache, and the request's cache policy returnCacheDataDontLoad forbids loading it")
}

extension CacheRules.Policy {
  /// The request to send when no stored response is used. Under `reloadIgnoringLocalAndRemoteCacheData` it also asks caches on the way not to
  /// answer, as Apple's does.
  fileprivate func outgoing(_ request: LoadRequest) -> LoadRequest {
    guard self == .reloadIgnoringLocalAndRemoteCacheData else { return request }
    var result = request
    result.mutateHeaders { headers in
      if !headers.contains("Cache-Control") { headers.add("Cache-Control", "no-cache") }
      if !headers.contains("Pragma") { headers.add("Pragma", "no-cache") }
    }
    return result
  }
}
