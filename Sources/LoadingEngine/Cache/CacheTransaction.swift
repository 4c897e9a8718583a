import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules
import Stores

/// One request at the cache: finds a stored response, opens its body, validates it, and stores a new one.
///
/// Functions that wait for the disk or the network are `@inline(never)`: a stored response is large, and if all were inlined into one function,
/// that would reserve room for some twenty of them while the load is under way.
struct CacheTransaction {
  let session: LoadSession
  let store: any ResponseStore
  let target: Target
  let request: LoadRequest
  let context: LoadContext
  let next: Next

  /// The stored response that matches the request; nil if there is none. If nothing is stored for the URL, the common case, this costs one
  /// look-up in memory.
  @inline(never) func find() async throws(LoadError) -> StoredResponse? {
    if store.holdsNothing(for: target) { return nil }
    let url = CacheKey.url(target)
    var candidates = store.candidates(for: url)
    if candidates == nil {
      candidates = try await load(url)
    }
    guard let candidates, !candidates.isEmpty else { return nil }
    var sent: HeaderFields?
    let index = VaryRules.select(candidates.map(\.facts)) {
      if let sent { return sent }
      let fields = fieldsToBeSent
      sent = fields
      return fields
    }
    guard let index else { return nil }
    let found = candidates[index]
    if request.headers.contains("Range"), case .unusable = StoredRangeRules.decide(request, head: found.head, length: found.bodyLength) {
      return nil
    }
    return found
  }

  private func load(_ url: String) async throws(LoadError) -> [StoredResponse] {
    if store.waitsForDisk { return try await AppWait.disk(context) { [store] in await store.loadCandidates(for: url) } }
    let candidates = await store.loadCandidates(for: url)
    try context.checkpoint()
    return candidates
  }

  private var policy: CacheRules.Policy { CacheRules.policy(request: request.cachePolicy, session: session.settings.cachePolicy) }

  // MARK: answering

  /// A stored response, or a part of it, opened so that it can answer the request.
  struct OpenedResponse {
    var found: StoredResponse
    var head: ResponseHead
    var body: any BodyReader
    /// The number of bytes of the body; nil for the response to a HEAD, which has no body whatever its head says.
    var length: Int64?
  }

  /// The stored response as the answer to the request; nil if its body is missing.
  @inline(never) func answer(_ found: StoredResponse, head: ResponseHead) async throws(LoadError) -> Loaded? {
    try await open(found, head: head).map(loaded)
  }

  /// Opens the whole stored response, or the part that a range asks for; nil if its body is missing.
  private func open(_ found: StoredResponse, head: ResponseHead) async throws(LoadError) -> OpenedResponse? {
    let isHEAD = request.method == "HEAD"
    switch StoredRangeRules.decide(request, head: head, length: found.bodyLength) {
    case .whole where isHEAD || found.bodyLength <= 0:
      return OpenedResponse(found: found, head: head, body: NoBody(), length: isHEAD ? nil : 0)
    case .whole:
      guard let body = try await reader(found, 0..<found.bodyLength) else { return nil }
      return OpenedResponse(found: found, head: head, body: body, length: found.bodyLength)
    case .part(let range, let partial):
      guard let body = try await reader(found, range) else { return nil }
      return OpenedResponse(found: found, head: partial, body: body, length: range.upperBound - range.lowerBound)
    case .unsatisfiable(let refusal): return OpenedResponse(found: found, head: refusal, body: NoBody(), length: 0)
    case .unusable: return nil
    }
  }

  private func reader(_ found: StoredResponse, _ range: Range<Int64>) async throws(LoadError) -> (any BodyReader)? {
    if let data = store.immediateBody(found) {
      return Int64(data.count) >= range.upperBound ? StoredBodyReader(data, range: range) : nil
    }
    let body: (any StoredBody)?
    if store.waitsForDisk {
      body = try await AppWait.disk(context) { [store] in await store.openBody(found) }
    } else {
      body = await store.openBody(found)
      try throwIfInterrupted(body)
    }
    guard let body, let reader = await StoredBodyReader(body, range: range, context) else {
      try context.checkpoint()
      store.remove(found)
      return nil
    }
    try throwIfInterrupted(body)
    // Removes the response from the store, so that the next load gets it from the network.
    reader.isDamaged = { [store] in store.remove(found) }
    return reader
  }

  private func throwIfInterrupted(_ body: (any StoredBody)?) throws(LoadError) {
    guard let failure = context.failure else { return }
    body?.close()
    throw failure
  }

  private func loaded(_ opening: OpenedResponse) -> Loaded {
    noteHit()
    // Trailer fields belong to the whole body.
    if opening.length == opening.found.bodyLength { context.record.trailers = opening.found.trailers }
    let framing: ResponseBodyFraming = opening.length.map { .length($0) } ?? .none
    let url = opening.found.responseURL.flatMap { URL(string: $0) } ?? request.url ?? context.url
    let expected = ContentCodingRules.expectedLength(head: opening.head, framing: framing, decision: .passThrough)
    return Loaded(
      response: LoadResponse(url: url, kind: .http(opening.head), expectedLength: expected), body: opening.body, framing: framing)
  }

  /// The answer to a request with `only-if-cached` if no stored response may answer it (RFC 9111, 5.2.1.7).
  func gatewayTimeout() -> Loaded {
    noteHit()
    let head = ResponseHead(status: 504, reason: "Gateway Timeout", headers: HeaderFields([("Content-Length", "0")]))
    return Loaded(
      response: LoadResponse(url: request.url ?? context.url, kind: .http(head), expectedLength: 0), body: NoBody(), framing: .length(0))
  }

  private func noteHit() {
    let now = context.clock.now
    context.record.fetchType = .localCache
    context.record.requestStart = now
    context.record.requestEnd = now
    context.record.responseStart = now
    context.lastActivity = now
  }

  // MARK: the network

  /// Asks the server whether the stored response `found` is still valid, by a conditional request.
  @inline(never) func validate(_ found: StoredResponse) async throws(LoadError) -> Loaded {
    let conditions = CacheRules.conditions(of: found.head)
    guard !conditions.isEmpty, request.method == "GET" else { return try await fetch(request, insteadOf: found) }
    var conditional = request
    conditional.mutateHeaders { headers in
      for (name, value) in conditions.entries { headers.set(name, value) }
    }
    let loaded = try await fetch(conditional, insteadOf: found)
    // Another status than 304 is a new response of the server. A fetch type other than networkLoad means that the stored one was returned in
    // place of an error.
    guard context.record.fetchType == .networkLoad, loaded.response.status == 304, let answer = loaded.response.httpHead else {
      return loaded
    }
    try await finish(loaded)
    guard InvalidationRules.confirms(answer, stored: found.head) else {
      // The 304 is about another version than the stored one, and no body of that is here.
      if !isTrustOverridden { store.remove(found) }
      closeTransaction(loaded.response)
      return try await fetch(request, insteadOf: nil)
    }
    let isTrustOverridden = isTrustOverridden
    let now = session.clock.date
    let head = StoredFieldRules.updated(found.head, by: answer, receivedAt: now)
    let requestTime = requestTime(now)
    closeTransaction(loaded.response)
    var confirmed = found
    confirmed.head = head
    let decision = isTrustOverridden ? .keep : decision(on: found, updated: head)
    if decision == .update { store.update(found, head: head, requestTime: requestTime, responseTime: now) }
    if let hit = try await self.answer(confirmed, head: head) {
      (confirmed.requestTime, confirmed.responseTime) = (requestTime, now)
      return keeping(hit, confirmed, decision)
    }
    return try await fetch(request, insteadOf: nil)
  }

  /// Whether a delegate has accepted the server although the trust evaluation failed. The cache may be shared with sessions that wouldn't accept
  /// it: so the response answers its load, but changes nothing in the store.
  var isTrustOverridden: Bool { context.record.connection?.isTrustOverridden == true }

  /// The time of day at which the request of the current transaction was sent; `now` if that isn't known.
  func requestTime(_ now: Date) -> Date {
    guard let start = context.record.requestStart else { return now }
    return now.addingTimeInterval(-max(0, context.clock.now.seconds(since: start)))
  }

  /// Loads from the network, stores the response if that is allowed, and returns the stored `found` in place of a failure where `stale-if-error`
  /// allows it.
  @inline(never) func fetch(_ outgoing: LoadRequest, insteadOf found: StoredResponse?) async throws(LoadError) -> Loaded {
    let loaded: Loaded
    do throws(LoadError) {
      loaded = try await next(outgoing, context)
    } catch {
      if context.failure == nil, error.isLackOfConnection, let hit = try await substitute(for: nil, found) { return hit }
      throw error
    }
    guard let status = loaded.response.status else { return loaded }
    if CacheRules.isServerFailure(status), found != nil {
      if let hit = try await substitute(for: loaded, found) { return hit }
    }
    return try await StoringTransaction(transaction: self, found: found).keep(loaded)
  }

  /// The stale stored response in place of an error (RFC 5861, 4); nil if it may not be used.
  @inline(never) private func substitute(for failed: Loaded?, _ found: StoredResponse?) async throws(LoadError) -> Loaded? {
    guard let found, CacheRules.mayServeOnError(now: session.clock.date, request: request, policy: policy, stored: found.facts) else {
      return nil
    }
    let head = StoredFieldRules.served(found.facts, now: session.clock.date)
    let substitute: OpenedResponse?
    do throws(LoadError) {
      substitute = try await open(found, head: head)
    } catch {
      failed?.body.abandon()
      throw error
    }
    guard let opening = substitute else { return nil }
    failed?.body.abandon()
    closeTransaction(failed?.response)
    return loaded(opening)
  }

  private func closeTransaction(_ response: LoadResponse?) {
    context.record.response = response
    if response != nil, context.record.responseEnd == nil { context.record.responseEnd = context.clock.now }
    context.beginTransaction(request)
  }

  /// Reads a 304 to its end, so that its connection can be used again.
  private func finish(_ loaded: Loaded) async throws(LoadError) {
    _ = try await loaded.body.next()
  }
}

extension LoadError {
  /// Whether the server couldn't be reached, or broke the connection: RFC 5861, 4 counts that as an error, like 5xx. An untrusted certificate
  /// doesn't count: a peer has answered that isn't the server.
  fileprivate var isLackOfConnection: Bool {
    switch kind {
    case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet, .timedOut: true
    // Only if the connection broke during the TLS handshake.
    case .secureConnectionFailed: resendReason == .cutOff
    default: false
    }
  }
}

extension LoadContext {
  fileprivate var url: URL { record.request.url ?? URL(filePath: "/") }
}
