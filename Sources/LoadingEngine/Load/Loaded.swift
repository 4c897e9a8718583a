import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// A response whose body can be read.
package struct Loaded {
  package var response: LoadResponse
  package var body: any BodyReader
  /// HTTP's delimitation of the body; `.untilClose` for other protocols.
  package var framing: ResponseBodyFraming
  /// Set by a protocol that proposes a redirect of its own making.
  package var proposedRedirect: LoadRequest?

  package init(
    response: LoadResponse, body: any BodyReader, framing: ResponseBodyFraming = .untilClose, proposedRedirect: LoadRequest? = nil
  ) {
    self.response = response
    self.body = body
    self.framing = framing
    self.proposedRedirect = proposedRedirect
  }
}

/// A body, pulled piece by piece: without a pull nothing is sent. Confined to the load.
package protocol BodyReader: AnyObject {
  /// The next piece, never empty; nil at the end.
  func next() async throws(LoadError) -> ByteBuffer?
  /// What `next` would return at once: an async call less for what is there already. Default: `next` must be asked.
  func nextAtOnce() throws(LoadError) -> BodyArrival
  /// There will be no further pull.
  func abandon()
  /// There is no use for a piece that `next` is waiting for at this moment. Default: such a wait ends by itself.
  func interrupt()
}

/// What there is of a body.
package enum BodyArrival {
  case piece(ByteBuffer)
  case end
  /// Nothing at the moment.
  case nothingYet
}

extension BodyReader {
  package func nextAtOnce() throws(LoadError) -> BodyArrival { .nothingYet }
  package func interrupt() {}
}

extension Exchange: BodyReader {
  package func next() async throws(LoadError) -> ByteBuffer? {
    while let chunk = try await nextChunk() {
      if chunk.readableBytes > 0 { return chunk }
    }
    return nil
  }

  package func nextAtOnce() throws(LoadError) -> BodyArrival {
    while let chunk = takeChunk() {
      if chunk.readableBytes > 0 { return .piece(chunk) }
    }
    return try isAtEnd() ? .end : .nothingYet
  }

  package func interrupt() {
    guard !hasEndedInbound else { return }
    interrupt(LoadError(.networkConnectionLost, .body, "the rest of the body wasn't waited for"))
  }
}

/// How a load ended.
package struct LoadResult: Sendable {
  package var response: LoadResponse?
  /// Only where the client collects.
  package var body: CollectedBody?
  package var error: LoadError?
  package var context: LoadContext
  /// Redirects followed.
  package var redirectCount = 0
}

/// A scheme's way of loading.
package protocol ProtocolHandler: Sendable {
  func load(_ request: LoadRequest, _ context: LoadContext, _ client: any LoadClient) async throws(LoadError) -> Loaded
}
