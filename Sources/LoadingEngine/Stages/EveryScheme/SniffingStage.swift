import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// Finds the MIME type of an HTTP response without `Content-Type` in the first bytes of its decoded body, as Apple's loader does.
///
/// Such a response is returned when the first bytes of its body, or its end, have come; all others at once. The stage is above redirects, so that
/// only the response that the app gets is examined, also one from the cache.
struct SniffingStage: Stage {
  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool { true }

  func settle(_ loaded: inout Loaded, to request: LoadRequest, _ load: Load) -> Bool { !loaded.response.lacksType || !loaded.hasHTTPBody }

  func answer(
    _ outcome: consuming Outcome, to request: LoadRequest, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    var loaded = try outcome.get()
    // The app may take over the connection as a stream: the body stays unread, and its first bytes are only copied.
    if let held = next.load.exchange, let first = await held.peekHeld() {
      loaded.response.sniff(await SniffingStage.decoded(first, loaded))
    } else if context.failure == nil {
      await SniffingStage.sniff(&loaded)
    }
    guard let failure = context.failure else { return loaded }
    loaded.body.abandon()
    throw failure
  }

  private static func sniff(_ loaded: inout Loaded) async {
    do throws(LoadError) {
      let first = try await loaded.body.next()
      if let first { loaded.response.sniff(first.readableBytesView.prefix(MIMESniffingRules.prefixLength)) }
      loaded.returnToBody(.success(first))
    } catch {
      // The response is returned all the same; the error comes when its body is read.
      loaded.returnToBody(.failure(error))
    }
  }

  /// The decoded content of a body that begins with the encoded `bytes`; empty if they can't be decoded.
  private static func decoded(_ bytes: ByteBuffer, _ loaded: Loaded) async -> ByteBufferView {
    let none = ByteBuffer().readableBytesView
    guard loaded.response.hasField("Content-Encoding"), let head = loaded.response.httpHead else { return bytes.readableBytesView }
    let decision = ContentCodingRules.decide(head: head, framing: loaded.framing, decoders: ContentDecoders.available)
    guard case .decode(let codings) = decision else { return bytes.readableBytesView }
    do throws(LoadError) {
      var body: any BodyReader = PeekedBody(.success(bytes), NoBody())
      for coding in codings { body = try DecodingBody(body, coding) }
      return try await body.next()?.readableBytesView ?? none
    } catch {
      return none
    }
  }
}

extension Loaded {
  /// Whether this is an HTTP response with a body. The response of a WebSocket isn't: its connection is for messages from here on.
  fileprivate var hasHTTPBody: Bool {
    guard framing != .none, framing != .length(0), let scheme = response.url.scheme else { return false }
    let plain = scheme.hasSuffix("+unix") ? String(scheme.dropLast(5)) : scheme
    return plain.equalsIgnoringCase("http") || plain.equalsIgnoringCase("https")
  }

  /// Puts the first piece that was read back before the rest of the body.
  fileprivate mutating func returnToBody(_ first: Result<ByteBuffer?, LoadError>) {
    // An exchange repeats its end and its error, so that only a piece must be put back; it stays the body itself, because downloads read from it
    // directly.
    guard let exchange = body as? Exchange else { return body = PeekedBody(first, body) }
    if case .success(let piece?) = first { exchange.putBack(piece) }
  }
}
