public import Foundation
import LoadingModel

/// What `perform` sends. An addition to Apple's API.
public struct URLSessionRequestBody: Sendable {
  enum Kind: Sendable {
    case ofRequest
    case data(Data)
    case file(URL)
    case pieces(BodyPieces)
  }

  let kind: Kind

  /// The body that the request has itself, `httpBody` or `httpBodyStream`, if any.
  public static var ofRequest: URLSessionRequestBody { URLSessionRequestBody(kind: .ofRequest) }

  /// Bytes in memory.
  public static func data(_ data: Data) -> URLSessionRequestBody { URLSessionRequestBody(kind: .data(data)) }

  /// A file, which isn't held in memory and must stay as it is while it is sent.
  public static func file(_ url: URL) -> URLSessionRequestBody { URLSessionRequestBody(kind: .file(url)) }

  /// The pieces of an async sequence, as `upload(for:from:length:trailers:delegate:)` sends them.
  public static func sequence<Body: AsyncSequence & Sendable>(
    _ body: Body, length: Int64? = nil, trailers: (@Sendable () async throws -> [String: String])? = nil
  ) -> URLSessionRequestBody where Body.Element == Data {
    URLSessionRequestBody(kind: .pieces(BodyPieces(length, body, trailers)))
  }

  /// What `write` writes, while the response may come already.
  ///
  /// `write` runs in a Swift task of its own and is cancelled when the load ends before it. What it throws ends the load.
  /// - Parameters:
  ///   - length: Bytes in all, sent as `Content-Length`; then as many must be written, and no trailers follow. nil: it isn't told before.
  ///   - isRepeatable: Whether `write` may be called again, to write the same once more, where a redirect, a challenge or a broken connection
  ///     needs that. Default: false.
  public static func writer(
    length: Int64? = nil, isRepeatable: Bool = false, _ write: @escaping @Sendable (URLSessionBodyWriter) async throws -> Void
  ) -> URLSessionRequestBody {
    let box = TrailerBox()
    let pieces = BodyPieces(length: length, isRepeatable: isRepeatable, trailers: length == nil ? { @Sendable in box.take() } : nil) {
      take in
      try await write(URLSessionBodyWriter(take, box))
    }
    return URLSessionRequestBody(kind: .pieces(pieces))
  }
}

/// Takes the pieces of a request's body. An addition to Apple's API.
public struct URLSessionBodyWriter: Sendable {
  private let take: BodyPieces.Take
  private let trailers: TrailerBox

  fileprivate init(_ take: @escaping BodyPieces.Take, _ trailers: TrailerBox) {
    (self.take, self.trailers) = (take, trailers)
  }

  /// Sends a piece; returns when the next is wanted. One call at a time.
  /// - Throws: `CancellationError` if nothing is wanted any more: the load has ended, or the server has answered without the rest.
  public func write(_ piece: Data) async throws {
    guard await take(piece) else { throw CancellationError() }
  }

  /// Sets the fields that follow the body (RFC 9110, 6.5), in place of those that were set before. Without effect on a body with a length.
  public func setTrailerFields(_ fields: [String: String]) { trailers.set(HeaderFields(trailers: fields)) }
}

/// The trailers that a writer has set.
private final class TrailerBox: Sendable {
  private let fields = Mutex(HeaderFields())

  func set(_ new: HeaderFields) { fields.withLock { $0 = new } }

  func take() -> HeaderFields {
    fields.withLock { fields in
      defer { fields = HeaderFields() }
      return fields
    }
  }
}
