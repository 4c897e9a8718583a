import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// The last stage: leases a connection, sends the request, waits for the final head.
struct ExchangeStage: Stage {
  /// A body up to this size is written together with the head.
  private static let immediateBodyLimit = 64 * 1024
  /// Informational responses to one request.
  private static let informationalLimit = 1000

  /// Whose plan it is in: a load keeps its session while it runs, so nothing has to count or check.
  unowned(unsafe) let session: LoadSession

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    let loaded = try await exchange(request, context, next)
    // RFC 9110, 10.1.1: "A client that receives a 417 (Expectation Failed) status code in response to a request containing a 100-continue
    // expectation SHOULD repeat that request without a 100-continue expectation".
    guard loaded.response.status == 417, request.headers.listContains("Expect", token: "100-continue") else { return loaded }
    return try await withoutExpectation(request, after: loaded, context, next)
  }

  @inline(never)
  private func withoutExpectation(
    _ request: LoadRequest, after loaded: Loaded, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    try await loaded.discardBody(context)
    context.record.response = loaded.response
    var plain = request
    plain.mutateHeaders { $0.remove("Expect") }
    context.beginTransaction(plain)
    return try await exchange(plain, context, next)
  }

  @inline(__always)
  private func exchange(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard let url = request.url, let target = request.target else {
      throw LoadError(.badURL, .admission, "the URL names no host, or a port that isn't a number up to 65535")
    }
    try session.refuseUnvalidated(target.origin, over: context.terms.route, request)
    var source: RequestBody?
    if case .none = request.body {} else { source = try await RequestBody.open(request.body, next.load) }
    let outgoing = try prepare(request, target, source, next.load)
    let connection: HTTPConnection
    if let idle = try connectionAtOnce(target.origin, request, next.load) {
      connection = idle
    } else {
      connection = try await reach(target.origin, request, next.load)
    }
    let exchange = begin(request, outgoing, target, source, on: connection, next.load)
    do throws(LoadError) {
      let head = try await finalHead(exchange, url, next.load)
      return try answer(head, url, target.origin, on: connection, exchange)
    } catch {
      throw failed(exchange, target.origin, on: connection, error)
    }
  }

  /// In line, because a load waits here: each async call around the wait would be one more to come back from.
  @inline(__always)
  private func finalHead(_ exchange: Exchange, _ url: URL, _ load: Load) async throws(LoadError) -> ResponseHead {
    var informational = 0
    while true {
      guard let head = try exchange.takeHead() else {
        await withUnsafeContinuation { exchange.resumeReader($0) }
        continue
      }
      guard head.isInformational else { return head }
      informational += 1
      if try isFinal(head, informational, exchange, url, load) { return head }
    }
  }

  /// What the load is told of a failure.
  @inline(never)
  private func failed(_ exchange: Exchange, _ origin: Origin, on connection: HTTPConnection, _ error: LoadError) -> LoadError {
    let context = exchange.context
    noteFailure(of: connection, origin, context, error)
    exchange.abandon()
    return refusal(of: connection, context, error)
  }

  /// What is sent, but for what depends on the connection.
  @inline(never)
  private func prepare(
    _ request: LoadRequest, _ target: Target, _ source: RequestBody?, _ load: Load
  ) throws(LoadError) -> OutgoingHead {
    let context = load.context
    var outgoing = try DefaultHeaderRules.outgoing(
      request, target: target, defaults: session.headerDefaults, bodyLength: source?.length,
      hasLeftOrigin: !load.origins.isAtFirst(target.origin))
    if case .upgrade = context.terms.use { outgoing.fields.askToSwitch(as: request) }
    context.terms.mayBePipelined = isPipelined(request, outgoing, context)
    context.terms.assumesHTTP3 = request.assumesHTTP3Capable
    context.observer?.willSend(&outgoing.fields)
    return outgoing
  }

  /// Sends the request on the connection that was leased for it.
  @inline(never)
  private func begin(
    _ request: LoadRequest, _ prepared: OutgoingHead, _ target: Target, _ source: RequestBody?, on connection: HTTPConnection, _ load: Load
  ) -> Exchange {
    let context = load.context
    var outgoing = prepared
    context.hasArrived()
    if case .webSocket(let webSocket) = load.kind { webSocket.prepare(&outgoing.fields, for: connection.webSocketOpening) }
    let exchange = Exchange(context: context, transport: connection.transport)
    context.waits(on: exchange)
    load.sentRequest = request
    if context.terms.use.holdsBody { load.exchange = exchange }
    noteConnection(connection, target.origin, context)
    send(request, outgoing.passing(context.terms.routeAttempt), target, source, on: connection, exchange, load.client.bodies)
    return exchange
  }

  @inline(never)
  private func answer(
    _ head: ResponseHead, _ url: URL, _ origin: Origin, on connection: HTTPConnection, _ exchange: Exchange
  ) throws(LoadError) -> Loaded {
    let context = exchange.context
    if origin.isSecure { session.noteAlternatives(head, origin, context) }
    context.terms.need = .any
    if !context.record.isReusedConnection { session.noteAnswer(of: origin) }
    try checkTunnel(head, connection, context)
    let length = ContentCodingRules.expectedLength(head: head, framing: exchange.framing, decision: .passThrough)
    return Loaded(response: LoadResponse(url: url, kind: .http(head), expectedLength: length), body: exchange, framing: exchange.framing)
  }

  /// A kept connection for a load that has no conditions; nil if it must wait, or has some.
  @inline(never)
  private func connectionAtOnce(_ origin: Origin, _ request: LoadRequest, _ load: Load) throws(LoadError) -> HTTPConnection? {
    let (context, client) = (load.context, load.client)
    guard context.terms.authentication == nil, !context.terms.needsOwnConnection, !context.isSuspended,
      Connectivity(session, request, load).isUnrestricted
    else { return nil }
    if case .webSocket = context.terms.use { return nil }
    session.watchNetworks()
    // As in `lease`.
    if context.recordsSentFields { _ = session.settings.network.known }
    guard let connection = try session.pool.leaseAtOnce(origin, context, evaluator: client.peerEvaluator) else { return nil }
    return connection.isLeased || connection.exchangeCount == 0 ? connection : nil
  }

  /// A connection over a network that the load may use.
  @inline(never)
  private func reach(_ origin: Origin, _ request: LoadRequest, _ load: Load) async throws(LoadError) -> HTTPConnection {
    let (context, client) = (load.context, load.client)
    let connectivity = Connectivity(session, request, load)
    if connectivity.isUnrestricted {
      do throws(LoadError) { return try await lease(origin, context, client) } catch { throw await connectivity.adjusted(error) }
    }
    return try await connectivity.connection(
      { () throws(LoadError) in try await lease(origin, context, client) }, address: { $0.facts.localAddress },
      isKept: { $0.exchangeCount > 0 }, giveBack: { session.pool.giveBack($0) }, leave: { leaveKept(origin, context) })
  }

  /// The kept connections to `origin` use a network that this load may not use: idle ones are closed; where others are in use the load
  /// opens one of its own.
  private func leaveKept(_ origin: Origin, _ context: LoadContext) {
    let destination = session.pool.destination(origin, context)
    session.pool.closeIdle(to: destination)
    if session.pool.hasConnections(to: destination) { context.terms.need = .fresh }
  }

  private func lease(_ origin: Origin, _ context: LoadContext, _ client: any LoadClient) async throws(LoadError) -> HTTPConnection {
    if context.terms.authentication != nil {
      // The way here may have been long: a file was opened, a mechanism asked.
      try context.checkpoint()
      if context.isSuspended { try await context.waitWhileSuspended() }
      if let bound = try leaseBound(origin, context, client) { return .single(bound) }
    }
    session.watchNetworks()
    // The metrics tell of the network: what is known of it is read while the load connects.
    if context.recordsSentFields { _ = session.settings.network.known }
    while true {
      if context.isSuspended { try await context.waitWhileSuspended() }
      if let tunnel = try leaseTunnel(origin, context, client) { return .shared(tunnel) }
      let connection = try await session.pool.lease(origin, context, evaluator: client.peerEvaluator)
      // The server closed a kept connection before anything was sent on it: whatever the method, the next one will do.
      if !connection.isLeased, connection.exchangeCount > 0 { continue }
      if context.failure == nil, !context.isSuspended {
        guard context.terms.needsOwnConnection else { return connection }
        if case .single(let single) = connection {
          if context.terms.authentication != nil { bind(single, context) }
          return connection
        }
        // The server has negotiated HTTP/2; from now on the pool knows that this load can't use it.
      }
      // Suspended or cancelled while it waited: others may use the connection.
      session.pool.giveBack(connection)
    }
  }

  @inline(never)
  private func noteConnection(_ connection: HTTPConnection, _ origin: Origin, _ context: LoadContext) {
    context.record.fetchType = .networkLoad
    context.record.networkProtocolName = connection.protocolName
    context.record.connection = connection.facts
    // The metrics will be read.
    if context.recordsSentFields {
      context.record.networkTraits = session.traits(of: connection.facts.localAddress)
      context.record.alternative = session.pool.alternativeUse(origin, context, on: connection)
    }
    context.record.isProxyConnection = context.terms.routeAttempt != nil
    context.record.isReusedConnection = connection.exchangeCount > 0
    if connection.exchangeCount == 0 {
      connection.timings.fill(&context.record)
    } else if context.record.connectStart != nil || context.record.domainLookupStart != nil {
      // Of an attempt that failed before.
      ConnectTimings().fill(&context.record)
    }
    let now = context.clock.now
    context.record.requestStart = now
    context.lastActivity = now
  }

  @inline(never)
  private func send(
    _ request: LoadRequest, _ outgoing: OutgoingHead, _ target: Target, _ source: RequestBody?, on connection: HTTPConnection,
    _ exchange: Exchange, _ client: (any BodySupplying)?
  ) {
    let context = exchange.context
    if context.recordsSentFields { context.record.request.mutate { $0.headers = outgoing.fields } }
    var wire = OutgoingRequest(
      method: request.method, target: context.terms.routeAttempt.requestTarget(target), headers: outgoing.fields,
      isChunked: outgoing.framing == .chunked, closesAfter: outgoing.closesConnection)
    wire.isPipelined = context.terms.mayBePipelined
    context.observer?.sends(wire, context.record)
    if case .webSocket = context.terms.use, case .extendedConnect = connection.webSocketOpening {
      wire = wire.openingTunnel
      context.record.requestHeaderBytes = Int64(connection.start(exchange, wire, body: nil, endsWithBody: false))
      context.record.requestEnd = context.clock.now
      return
    }
    func start(_ body: ByteBuffer?, isWhole: Bool) {
      context.record.requestHeaderBytes = Int64(connection.start(exchange, wire, body: body, endsWithBody: isWhole))
      if isWhole { context.record.requestEnd = context.clock.now }
    }
    switch request.body {
    case .data(let data) where data.count <= ExchangeStage.immediateBodyLimit && !outgoing.expectsContinue:
      let count = Int64(data.count)
      context.record.requestBodyBytes = count
      context.record.requestBodyBytesBeforeEncoding = count
      let bytes = count > 0 ? ByteBuffer(bytes: data) : nil
      if let bytes { context.contents?.sent(body: bytes) }
      start(bytes, isWhole: true)
      if count > 0 { client?.didSendBody(bytes: count, total: count, expected: count) }
    case .data, .stream, .file, .parts, .suppliedStream, .pieces, .none:
      guard let source else { return start(nil, isWhole: true) }
      start(nil, isWhole: false)
      if case .length(let length) = outgoing.framing { client?.willSendBody(expected: length) } else { client?.willSendBody(expected: -1) }
      source.pump(into: exchange, outgoing, client)
    }
  }

  /// Whether others may be under way on its connection: a plain, safe request that begins a load, and that belongs to no login.
  private func isPipelined(_ request: LoadRequest, _ outgoing: OutgoingHead, _ context: LoadContext) -> Bool {
    guard session.usesPipelining || request.shouldUsePipelining else { return false }
    guard !context.terms.needsOwnConnection, context.finishedRecords.isEmpty else { return false }
    return PipeliningRules.allows(request, closesConnection: outgoing.closesConnection)
  }

  /// Whether an informational response, the load's `number`th, is the last that comes before another protocol's bytes. Others are passed on.
  @inline(never)
  private func isFinal(
    _ head: ResponseHead, _ number: Int, _ exchange: Exchange, _ url: URL, _ load: Load
  ) throws(LoadError) -> Bool {
    guard head.status != 101 else {
      if exchange.context.terms.use.switchesProtocol { return true }
      throw LoadError(.badServerResponse, .head, "the server switched to another protocol without being asked to")
    }
    if head.status == 104 { load.upload?.note(head, from: url) }
    guard number <= ExchangeStage.informationalLimit else {
      throw LoadError(
        .badServerResponse, .head, "the server sent more than \(ExchangeStage.informationalLimit) informational responses and no answer")
    }
    exchange.context.contents?.received(informational: head)
    load.client.didReceive(informational: LoadResponse(url: url, kind: .http(head), expectedLength: -1))
    return false
  }
}

extension HeaderFields {
  /// RFC 9110, 7.8: "A sender of Upgrade MUST also send an "Upgrade" connection option in the Connection header field".
  fileprivate mutating func askToSwitch(as request: LoadRequest) {
    guard let protocols = request.headers.joined("Upgrade") else { return }
    set("Upgrade", protocols)
    set("Connection", "Upgrade")
  }
}
