import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// The last stage of HTTP loads: leases a connection, sends the request, waits for the final response head.
struct ExchangeStage: Stage {
  /// The most informational responses to one request.
  private static let informationalLimit = 1000

  /// The session whose loading plan has the stage.
  // `unowned(unsafe)`, because a load keeps its session alive while it runs: the reference needs neither counting nor checks.
  unowned(unsafe) let session: LoadSession
  private var leasing: ConnectionLeasing { ConnectionLeasing(session: session) }
  private var sending: RequestSending { RequestSending(session: session) }

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    let loaded = try await exchange(request, context, next)
    guard ExchangeStage.refusesExpectation(loaded, of: request) else { return loaded }
    return try await withoutExpectation(request, after: loaded, context, next)
  }

  // Inlined, like `finalHead`, because a load waits in it.
  @inline(__always)
  func exchange(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard let url = request.url, let target = request.target else {
      throw LoadError(.badURL, .admission, "the URL names no host, or a port that isn't a number up to 65535")
    }
    try session.refuseUnvalidated(target.origin, over: context.terms.route, request)
    var source: RequestBody?
    if case .none = request.body {} else { source = try await RequestBody.open(request.body, next.load) }
    let outgoing = try sending.prepare(request, target, source, next.load)
    let connection: HTTPConnection
    if let idle = try leasing.atOnce(target.origin, request, next.load) {
      connection = idle
    } else {
      connection = try await leasing.reach(target.origin, request, next.load)
    }
    let exchange = sending.begin(request, outgoing, target, source, on: connection, next.load)
    do throws(LoadError) {
      let head = try await finalHead(exchange, url, next.load)
      return try answer(head, url, target.origin, on: connection, exchange)
    } catch {
      throw failed(exchange, target.origin, on: connection, error)
    }
  }

  /// Reads heads until the final one has come.
  // Inlined, because a load waits here: each async call around the wait would be one more to return from.
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

  /// Gives up the exchange after an error, and returns the error for the load.
  // Not inlined: the stack frame of an async function that waits, in each load, holds room for everything inlined into it.
  @inline(never)
  private func failed(_ exchange: Exchange, _ origin: Origin, on connection: HTTPConnection, _ error: LoadError) -> LoadError {
    let context = exchange.context
    leasing.noteFailure(of: connection, origin, context, error)
    exchange.abandon()
    return WebSocketStreams.refusal(of: connection, context, error)
  }

  // Not inlined: the stack frame of an async function that waits, in each load, holds room for everything inlined into it.
  @inline(never)
  private func answer(
    _ head: ResponseHead, _ url: URL, _ origin: Origin, on connection: HTTPConnection, _ exchange: Exchange
  ) throws(LoadError) -> Loaded {
    let context = exchange.context
    if origin.isSecure { session.noteAlternatives(head, origin, context) }
    context.terms.need = .any
    if !context.record.isReusedConnection { session.noteAnswer(of: origin) }
    try WebSocketStreams.check(head, connection, context)
    let length = ContentCodingRules.expectedLength(head: head, framing: exchange.framing, decision: .passThrough)
    return Loaded(response: LoadResponse(url: url, kind: .http(head), expectedLength: length), body: exchange, framing: exchange.framing)
  }

  /// Whether an informational response, the load's `number`th, is a 101 after which another protocol follows. Other ones are passed to the
  /// client.
  // Not inlined: the stack frame of an async function that waits, in each load, holds room for everything inlined into it.
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
