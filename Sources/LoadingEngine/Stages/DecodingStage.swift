import HTTPTransport
import LoadingModel
import ProtocolRules

/// Takes content codings off the body (RFC 9110, 8.4). The header fields stay as received; the length becomes unknown.
struct DecodingStage: Stage {
  func load(_ request: LoadRequest, _ context: LoadContext, _ next: Next) async throws(LoadError) -> Loaded {
    let loaded = try await next(request, context)
    return loaded.response.hasField("Content-Encoding") ? try decoded(loaded) : loaded
  }

  @inline(never)
  private func decoded(_ response: Loaded) throws(LoadError) -> Loaded {
    var loaded = response
    guard let head = loaded.response.httpHead else { return loaded }
    let decision = ContentCodingRules.decide(head: head, framing: loaded.framing, decoders: ContentDecoders.available)
    guard case .decode(let codings) = decision else { return loaded }
    loaded.response.expectedLength = -1
    for coding in codings { loaded.body = try DecodingBody(loaded.body, coding) }
    return loaded
  }
}
