import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// Makes a response of a proxy's 407 to CONNECT, so that it can be answered as any other.
struct TunnelAnswerStage: Stage {
  func passes(_ request: LoadRequest, _ context: LoadContext, _ load: Load) -> Bool { true }

  func answer(
    _ outcome: consuming Outcome, to request: LoadRequest, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    do throws(LoadError) {
      return try outcome.get()
    } catch {
      guard let head = error.proxy?.answer, head.status == ProtectionSpace.Peer.proxy.status, context.failure == nil, let url = request.url
      else { throw error }
      let response = LoadResponse(url: url, kind: .http(head), expectedLength: 0)
      return Loaded(response: response, body: TunnelRefusal(error), framing: .none)
    }
  }
}

/// The body of a proxy's answer in the place of a tunnel: it must not be taken for the origin's.
final class TunnelRefusal: BodyReader {
  let error: LoadError

  init(_ error: LoadError) { self.error = error }

  func next() async throws(LoadError) -> ByteBuffer? { nil }
  func abandon() {}
}
