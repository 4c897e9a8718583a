import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// The pieces of a request's body, for a load that reads them itself. They are read in other Swift tasks, because an app's stream can block and must
/// not keep its load from ending.
///
/// Owned by the FTP transfer or the oblivious stage; confined to the load's event loop.
final class BodyPieceSource: @unchecked Sendable {
  // @unchecked: `reading` is confined to the load's event loop; `body` is used by one reading at a time, and released when none is under way.
  private let body: RequestBody
  private var reading: Task<Result<ByteBuffer?, LoadError>, Never>?

  init(_ body: RequestBody) { self.body = body }

  /// The length of the body in bytes; nil if unknown.
  var length: Int64? { body.length }
  /// The trailer fields; empty before the end of the body.
  var trailers: HeaderFields { body.trailers }

  /// The next piece; nil at the end. Throws the error that interrupts the load at once, even if the reading is still under way.
  func next(_ context: LoadContext) async throws(LoadError) -> ByteBuffer? {
    assert(context.eventLoop.inEventLoop)
    let reading = Task { [body] in await body.nextPiece() }
    self.reading = reading
    let piece = try await AppWait<Result<ByteBuffer?, LoadError>>.disk(context) { await reading.value }
    self.reading = nil
    return try piece.get()
  }

  /// Ends the reading: no further piece is wanted. A read that is under way ends before the body is released.
  func abandon() {
    guard let reading else { return body.abandon() }
    body.interrupt()
    Task { [body] in
      _ = await reading.value
      body.abandon()
    }
  }
}
