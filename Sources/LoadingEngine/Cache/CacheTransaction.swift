import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules
import Stores

/// One request at the cache: finds, opens, validates and stores.
///
/// What waits for the disk or the network is `@inline(never)`: a stored response is large, and a function into which all the others are inlined has
/// room for some twenty of them for as long as the load is under way.
struct CacheTransaction {
  let session: LoadSession
  let store: any ResponseStore
  let target: Target
  let request: LoadRequest
  let context: LoadContext
  let next: Next

  /// The stored response that fits the request. Nothing stored for the URL, the common case, costs one look into memory.
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

  /// What of a stored response answers the request, ready to be read.
  struct OpenedResponse {
    var found: StoredResponse
    var head: ResponseHead
    var body: any BodyReader
    /// Bytes of the body; nil for the answer to a HEAD, which has none whatever its head says.
    var length: Int64?
  }

  /// The stored response as the answer; nil if its body is missing.
  @inline(never) func answer(_ found: StoredResponse, head: ResponseHead) async throws(LoadError) -> Loaded? {
    try await open(found, head: head).map(loaded)
  }

  /// All of the stored response, or as much of it as a range asks for; nil if its body is missing.
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
    // The next load gets it from the network.
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
    // They belong to the whole body.
    if opening.length == opening.found.bodyLength { context.record.trailers = opening.found.trailers }
    let framing: ResponseBodyFraming = opening.length.map { .length($0) } ?? .none
    let url = opening.found.responseURL.flatMap { URL(string: $0) } ?? request.url ?? context.url
    let expected = ContentCodingRules.expectedLength(head: opening.head, framing: framing, decision: .passThrough)
    return Loaded(
      response: LoadResponse(url: url, kind: .http(opening.head), expectedLength: expected), body: opening.body, framing: framing)
  }

  /// RFC 9111, 5.2.1.7: "only-if-cached".
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

  /// Asks whether `found` still holds.
  @inline(never) func validate(_ found: StoredResponse) async throws(LoadError) -> Loaded {
    let conditions = CacheRules.conditions(of: found.head)
    guard !conditions.isEmpty, request.method == "GET" else { return try await fetch(request, insteadOf: found) }
    var conditional = request
    conditional.mutateHeaders { headers in
      for (name, value) in conditions.entries { headers.set(name, value) }
    }
    let loaded = try await fetch(conditional, insteadOf: found)
    // A response of the server's own, or the stored one in place of an error.
    guard context.record.fetchType == .networkLoad, loaded.response.status == 304, let answer = loaded.response.httpHead else {
      return loaded
    }
    try await finish(loaded)
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

  /// Whether the response came from a server that a delegate has accepted against the evaluation. The cache may be shared with sessions that
  /// would never accept that server: the response answers its load, and changes nothing that is stored.
  var isTrustOverridden: Bool { context.record.connection?.isTrustOverridden == true }

  /// When the request was sent whose response has come now.
  func requestTime(_ now: Date) -> Date {
    guard let start = context.record.requestStart else { return now }
    return now.addingTimeInterval(-max(0, context.clock.now.seconds(since: start)))
  }

  /// Loads from the network, stores what may be stored, and falls back on `found` where a failure allows it.
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

  /// RFC 5861, 4: the stale response in place of an error.
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

  /// Reads the end of a 304, so that its connection lives on.
  private func finish(_ loaded: Loaded) async throws(LoadError) {
    _ = try await loaded.body.next()
  }
}

extension LoadError {
  /// Whether the server couldn't be reached or broke off: what RFC 5861, 4 counts as an error beside 5xx. A certificate that isn't trusted
  /// is none: there something answered, and it wasn't the server.
  fileprivate var isLackOfConnection: Bool {
    switch kind {
    case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet, .timedOut: true
    // In the middle of the TLS handshake.
    case .secureConnectionFailed: resendReason == .cutOff
    default: false
    }
  }
}

extension LoadContext {
  fileprivate var url: URL { record.request.url ?? URL(filePath: "/") }
}
