import HTTPTransport
import LoadingModel
import ProtocolRules

/// Decodes a body's content codings (RFC 9110, 8.4). The header fields stay as received; the body's length becomes unknown.
struct DecodingStage: Stage {
  /// The session's limits, for requests that have none of their own.
  var limits = BodyLimits()

  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool { true }

  func settle(_ loaded: inout Loaded, to request: LoadRequest, _ load: Load) -> Bool { !loaded.response.hasField("Content-Encoding") }

  func answer(
    _ outcome: consuming Outcome, to request: LoadRequest, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    var loaded = try outcome.get()
    guard let head = loaded.response.httpHead else { return loaded }
    let decision = ContentCodingRules.decide(head: head, framing: loaded.framing, decoders: ContentDecoders.available)
    guard case .decode(let codings) = decision else { return loaded }
    loaded.response.expectedLength = -1
    let limit = limits.of(request).decoded
    for coding in codings { loaded.body = try DecodingBody(loaded.body, coding, limit: limit) }
    return loaded
  }
}
