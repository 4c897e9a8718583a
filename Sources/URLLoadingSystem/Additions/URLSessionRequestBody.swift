public import Foundation
import LoadingModel

/// The body that `URLSession.perform(_:body:delegate:isolation:_:)` sends. An addition to Apple's API.
public struct URLSessionRequestBody: Sendable {
  enum Kind: Sendable {
    case ofRequest
    case data(Data)
    case file(URL)
    case pieces(BodyPieces)
  }

  let kind: Kind

  /// The request's own body, `httpBody` or `httpBodyStream`, if it has one.
  public static var ofRequest: URLSessionRequestBody { URLSessionRequestBody(kind: .ofRequest) }

  /// A body of bytes in memory.
  public static func data(_ data: Data) -> URLSessionRequestBody { URLSessionRequestBody(kind: .data(data)) }

  /// A body that is a file. It isn't held in memory, and must not change while it is sent.
  public static func file(_ url: URL) -> URLSessionRequestBody { URLSessionRequestBody(kind: .file(url)) }

  /// The pieces of an async sequence, as `upload(for:from:length:trailers:delegate:)` sends them.
  public static func sequence<Body: AsyncSequence & Sendable>(
    _ body: Body, length: Int64? = nil, trailers: (@Sendable () async throws -> [String: String])? = nil
  ) -> URLSessionRequestBody where Body.Element == Data {
    URLSessionRequestBody(kind: .pieces(BodyPieces(length, body, trailers)))
  }

  /// A body that `write` produces piece by piece, also while the response arrives.
  ///
  /// `write` runs in a Swift task of its own, which is cancelled if the load ends before it. An error that it throws ends the load.
  /// - Parameters:
  ///   - length: The body's length in bytes, sent as `Content-Length`; then that many must be written, and no trailers are sent. nil if it isn't
  ///     known.
  ///   - isRepeatable: Whether `write` may be called again to write the same body once more, for a redirect, a challenge or after the connection
  ///     broke. Default: false.
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

/// Writes the pieces of a request's body (``URLSessionRequestBody/writer(length:isRepeatable:_:)``). An addition to Apple's API.
public struct URLSessionBodyWriter: Sendable {
  private let take: BodyPieces.Take
  private let trailers: TrailerBox

  fileprivate init(_ take: @escaping BodyPieces.Take, _ trailers: TrailerBox) {
    (self.take, self.trailers) = (take, trailers)
  }

  /// Sends a piece; returns when the next one may be written. One call at a time.
  /// - Throws: `CancellationError` if no more bytes are wanted, because the load has ended, or the server has completed its response.
  public func write(_ piece: Data) async throws {
    guard await take(piece) else { throw CancellationError() }
  }

  /// Sets the trailer fields (RFC 9110, 6.5), replacing those set before. No effect on a body with a length.
  public func setTrailerFields(_ fields: [String: String]) { trailers.set(HeaderFields(trailers: fields)) }
}

/// The trailer fields that a body's writer has set; thread-safe.
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
