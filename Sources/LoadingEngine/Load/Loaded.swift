import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// A response, with its body ready to be read.
package struct Loaded {
  package var response: LoadResponse
  package var body: any BodyReader
  /// How HTTP delimits the body; `.untilClose` for other protocols.
  package var framing: ResponseBodyFraming
  /// A redirect that a protocol other than HTTP proposes; nil for all other responses.
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

/// A body that is read piece by piece: pieces are requested by `next`, so that an unread body isn't sent on. Confined to the load.
package protocol BodyReader: AnyObject {
  /// The next piece, never empty; nil at the end.
  func next() async throws(LoadError) -> ByteBuffer?
  /// What `next` would return without waiting, which saves an async call for bytes that have arrived. Default: `.nothingYet`.
  func nextAtOnce() throws(LoadError) -> BodyArrival
  /// Ends the reading: `next` isn't called any more.
  func abandon()
  /// Ends a call of `next` that is waiting at this moment, because its piece isn't needed any more. Default: nothing, for readers whose waits end
  /// by themselves.
  func interrupt()
}

/// The part of a body that is available without waiting.
package enum BodyArrival {
  case piece(ByteBuffer)
  case end
  /// No piece is available at the moment.
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
  /// The collected body; nil unless the client collects it.
  package var body: CollectedBody?
  package var error: LoadError?
  package var context: LoadContext
  /// The number of redirects that were followed.
  package var redirectCount = 0
}

/// Loads the URLs of one scheme.
package protocol ProtocolHandler: Sendable {
  func load(_ request: LoadRequest, _ context: LoadContext, _ client: any LoadClient) async throws(LoadError) -> Loaded
}
