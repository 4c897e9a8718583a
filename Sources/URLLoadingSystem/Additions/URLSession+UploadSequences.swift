public import Foundation
import LoadingModel

// Uploads whose body is an async sequence. Additions to Apple's API.

extension URLSession {
  /// Sends the pieces of an async sequence as the body of `request`, while they are produced, and returns the whole response.
  ///
  ///     let (data, response) = try await session.upload(for: request, from: lines.map { Data($0.utf8) })
  ///
  /// The sequence is iterated off the event loop, and at most one piece ahead of the connection. It is iterated once: if the body would have to be
  /// sent again (for a redirect by 307 or 308, a challenge, or after the connection broke), the upload fails with `requestBodyStreamExhausted`. The
  /// request's own body is ignored; its method isn't changed: set POST or PUT.
  /// - Parameters:
  ///   - body: The pieces of the body; empty ones are skipped.
  ///   - length: The body's length in bytes, sent as `Content-Length`; if the pieces have another length, the upload fails. nil: the body is sent
  ///     with chunked transfer coding, over HTTP/2 and HTTP/3 as a stream.
  ///   - trailers: Makes the trailer fields (RFC 9110, 6.5) after the sequence has ended; nil for none. With trailers, `length` isn't sent but still
  ///     checked. Fields that aren't allowed as trailers fail the upload.
  ///   - delegate: Asked and told before the session's delegate about progress, challenges, redirects and metrics.
  /// - Throws: The error of the sequence or of `trailers`, which ends the upload; otherwise `URLError`.
  public func upload<Body: AsyncSequence & Sendable>(
    for request: URLRequest, from body: Body, length: Int64? = nil, trailers: (@Sendable () async throws -> [String: String])? = nil,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) where Body.Element == Data {
    try await upload(request, BodyPieces(length, body, trailers), delegate)
  }

  /// As `upload(for:from:length:trailers:delegate:)`, with a body that can be sent again: each call of `makeBody` makes a new sequence of the same
  /// pieces.
  /// - Throws: The error of the sequence, which ends the upload; otherwise `URLError`.
  public func upload<Body: AsyncSequence & Sendable>(
    for request: URLRequest, length: Int64? = nil, delegate: (any URLSessionTaskDelegate)? = nil,
    fromEach makeBody: @escaping @Sendable () -> Body
  ) async throws -> (Data, URLResponse) where Body.Element == Data {
    let pieces = BodyPieces(length: length, isRepeatable: true) { take in try await BodyPieces.hand(makeBody(), to: take) }
    return try await upload(request, pieces, delegate)
  }

  private func upload(
    _ request: URLRequest, _ pieces: BodyPieces, _ delegate: (any URLSessionTaskDelegate)?
  ) async throws -> (Data, URLResponse) {
    do {
      return try await collect(makeUploadTask(request.load, .pieces(pieces), .awaited, delegate: delegate))
    } catch {
      throw pieces.failure ?? error
    }
  }

  /// A task that sends the pieces of an async sequence as the body of `request` and reports to the delegate. It starts with `resume()`.
  ///
  /// Otherwise as `upload(for:from:length:trailers:delegate:)`; if the sequence throws, the task fails with `requestBodyStreamExhausted`.
  public func uploadTask<Body: AsyncSequence & Sendable>(
    with request: URLRequest, from body: Body, length: Int64? = nil
  ) -> URLSessionUploadTask where Body.Element == Data {
    makeUploadTask(request.load, .pieces(BodyPieces(length, body)), .delegate)
  }
}

extension BodyPieces {
  convenience init<Body: AsyncSequence & Sendable>(
    _ length: Int64?, _ body: Body, _ trailers: (@Sendable () async throws -> [String: String])? = nil
  ) where Body.Element == Data {
    let makeTrailers = trailers.map { make in { @Sendable in HeaderFields(trailers: try await make()) } }
    self.init(length: length, isRepeatable: false, trailers: makeTrailers) { take in try await BodyPieces.hand(body, to: take) }
  }

  fileprivate static func hand<Body: AsyncSequence>(_ body: Body, to take: Take) async throws where Body.Element == Data {
    for try await piece in body {
      guard await take(piece) else { return }
    }
  }
}
