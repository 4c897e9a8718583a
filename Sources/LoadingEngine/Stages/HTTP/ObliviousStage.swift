import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules

/// Sends a load through the relay of Oblivious HTTP that is set for its origin (RFC 9458): encrypted to the gateway, as the body of another
/// request.
///
/// A session without such relays doesn't have the stage. The stages above get the decrypted response as the origin's; those below see the request
/// to the relay.
struct ObliviousStage: Stage {
  /// The most bytes of a message, which must be in memory as a whole, because it is encrypted in one piece.
  private static let limit = 64 << 20
  /// Fields that are left out of the encrypted message: those of a connection (RFC 9292, 3.6; RFC 9110, 7.6.1), `Host`, which its control data
  /// contains, and `Content-Length`, which its framing replaces.
  private static let left: Set<String> = [
    "host", "connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "transfer-encoding", "upgrade", "expect",
    "content-length",
  ]
  /// The header defaults of the request to the relay, which gets neither the session's additional fields nor its user agent.
  private static let envelope = SessionHeaderDefaults(
    additional: HeaderFields(), acceptEncoding: AcceptEncoding(plain: "identity") { "identity" }, userAgent: nil, acceptLanguage: nil)

  unowned let session: LoadSession

  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    guard let target = request.target, let url = request.url, let relay = try session.settings.proxies.obliviousRelay(for: target.origin)
    else {
      return try await next(request, context)
    }
    guard let sealed = relay.key.seal(try await message(request, target, next.load)) else {
      throw LoadError(.badURL, .send, "gatewayKeyConfig of the oblivious relay has a key that can't be used; get its configuration anew")
    }
    let outer = relay.request(carrying: sealed.message, for: request)
    context.record.request = outer
    next.load.envelope = ObliviousStage.envelope
    defer {
      next.load.envelope = nil
      next.load.sentRequest = request
    }
    let loaded = try await next(outer, context)
    let type = loaded.response.httpHead?.headers.first("Content-Type")
    guard loaded.response.status == 200, let type,
      type.prefix(while: { $0 != ";" }).trimmingSpaces().equalsIgnoringCase(ObliviousRelay.responseType)
    else {
      loaded.body.abandon()
      throw relay.refusal(status: loaded.response.status, type: type)
    }
    return try await answer(loaded, sealed.answer, url, context)
  }

  /// The request, with its whole body, as a binary HTTP message.
  private func message(_ request: LoadRequest, _ target: Target, _ load: Load) async throws(LoadError) -> Data {
    let source = try await RequestBody.open(request.body, load).map(BodyPieceSource.init)
    defer { source?.abandon() }
    var body = Data()
    if let source {
      while let piece = try await source.next(load.context) {
        load.context.noteActivity()
        guard body.count + piece.readableBytes <= ObliviousStage.limit else {
          throw LoadError(
            .dataLengthExceedsMaximum, .send,
            "a body of more than 64 MiB can't be sent through an oblivious relay, which takes messages whole")
        }
        body += Data(received: piece)
      }
    }
    var inner = request
    inner.mutate { $0.body = body.isEmpty ? .none : .data(body) }
    var head = try DefaultHeaderRules.outgoing(
      inner, target: target, defaults: session.headerDefaults, bodyLength: Int64(body.count),
      hasLeftOrigin: !load.origins.isAtFirst(target.origin))
    load.context.observer?.willSend(&head.fields)
    let fields = HeaderFields(head.fields.entries.filter { !ObliviousStage.left.contains($0.name.lowercased()) })
    return BinaryHTTP.request(method: request.method, target, fields, body: body, trailers: source?.trailers ?? HeaderFields())
  }

  private func answer(
    _ loaded: Loaded, _ opener: ObliviousAnswer, _ url: URL, _ context: LoadContext
  ) async throws(LoadError) -> Loaded {
    var collected: CollectedBody
    do throws(LoadError) {
      collected = try CollectedBody(expecting: loaded.response.expectedLength, limit: Int64(ObliviousStage.limit))
      while let piece = try await loaded.body.next() {
        context.noteActivity()
        try collected.append(piece)
      }
    } catch {
      loaded.body.abandon()
      throw error
    }
    guard let message = opener.open(collected.data()) else {
      throw LoadError(
        .cannotDecodeRawData, .body, "the answer of the oblivious gateway can't be decrypted: it isn't for this request, or is damaged")
    }
    let response = try BinaryHTTP.response(message)
    context.record.trailers = TrailerRules.kept(response.trailers.entries)
    let length = Int64(response.content.count)
    return Loaded(
      response: LoadResponse(url: url, kind: .http(response.head), expectedLength: length), body: DataReader(response.content),
      framing: .length(length))
  }
}
