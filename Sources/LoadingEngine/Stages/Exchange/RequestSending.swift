import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// Builds the head of a request, and sends the request on the connection that was leased for it.
///
/// Part of `ExchangeStage`, without state of its own.
struct RequestSending {
  /// The most bytes of a body that is written together with the head.
  private static let immediateBodyLimit = 64 * 1024

  // `unowned(unsafe)`, because a load keeps its session alive while it runs: the reference needs neither counting nor checks.
  unowned(unsafe) let session: LoadSession

  /// The head to send, without the fields that depend on the connection.
  // Not inlined: the stack frame of an async function that waits, in each load, holds room for everything inlined into it.
  @inline(never)
  func prepare(
    _ request: LoadRequest, _ target: Target, _ source: RequestBody?, _ load: Load
  ) throws(LoadError) -> OutgoingHead {
    let context = load.context
    if let envelope = load.envelope {
      context.terms.mayBePipelined = false
      context.terms.assumesHTTP3 = request.assumesHTTP3Capable
      return try DefaultHeaderRules.outgoing(request, target: target, defaults: envelope, bodyLength: source?.length, hasLeftOrigin: true)
    }
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
  // Not inlined: the stack frame of an async function that waits, in each load, holds room for everything inlined into it.
  @inline(never)
  func begin(
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

  // Not inlined: the stack frame of an async function that waits, in each load, holds room for everything inlined into it.
  @inline(never)
  private func noteConnection(_ connection: HTTPConnection, _ origin: Origin, _ context: LoadContext) {
    context.sends(on: connection)
    // These facts are recorded only if the app reads the metrics.
    guard context.recordsSentFields else { return }
    context.record.networkTraits = session.traits(of: connection.facts.localAddress)
    context.record.alternative = session.pool.alternativeUse(origin, context, on: connection)
  }

  // Not inlined: the stack frame of an async function that waits, in each load, holds room for everything inlined into it.
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
      context.hasSent(head: connection.start(exchange, wire, body: nil, endsWithBody: false), isWhole: true)
      return
    }
    func start(_ body: ByteBuffer?, isWhole: Bool) {
      context.hasSent(head: connection.start(exchange, wire, body: body, endsWithBody: isWhole), isWhole: isWhole)
    }
    switch request.body {
    case .data(let data) where data.count <= RequestSending.immediateBodyLimit && !outgoing.expectsContinue:
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

  /// Whether the request may share its connection with others that are unanswered: a plain, safe request, the first of its load, without an
  /// authentication that is bound to a connection.
  private func isPipelined(_ request: LoadRequest, _ outgoing: OutgoingHead, _ context: LoadContext) -> Bool {
    guard session.usesPipelining || request.shouldUsePipelining else { return false }
    guard !context.terms.needsOwnConnection, context.finishedRecords.isEmpty else { return false }
    return PipeliningRules.allows(request, closesConnection: outgoing.closesConnection)
  }
}

extension HeaderFields {
  /// Adds the fields that ask for a switch of protocols. RFC 9110, 7.8: "A sender of Upgrade MUST also send an "Upgrade" connection option in the
  /// Connection header field".
  fileprivate mutating func askToSwitch(as request: LoadRequest) {
    guard let protocols = request.headers.joined("Upgrade") else { return }
    set("Upgrade", protocols)
    set("Connection", "Upgrade")
  }
}
