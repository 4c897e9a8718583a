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
  /// There will be no further pull.
  func abandon()
}

extension Exchange: BodyReader {
  package func next() async throws(LoadError) -> ByteBuffer? {
    while let chunk = try await nextChunk() {
      if chunk.readableBytes > 0 { return chunk }
    }
    return nil
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
