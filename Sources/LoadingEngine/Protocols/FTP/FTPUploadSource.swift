import HTTPTransport
import LoadingModel
import NIOCore

/// The pieces of an upload, read in tasks of their own: an app's stream can block, and must not keep its load from ending meanwhile.
///
/// Owned by the transfer; confined to the load's event loop.
final class FTPUploadSource: @unchecked Sendable {
  // @unchecked: `reading` is confined to the load's event loop; `body` is used by one reading at a time, and given up when none is under way.
  private let body: RequestBody
  private var reading: Task<Result<ByteBuffer?, LoadError>, Never>?

  init(_ body: RequestBody) { self.body = body }

  /// Bytes in all, if known.
  var length: Int64? { body.length }

  /// The next piece; nil at the end. Throws what interrupted the load, though the reading may still be under way then.
  func next(_ context: LoadContext) async throws(LoadError) -> ByteBuffer? {
    assert(context.eventLoop.inEventLoop)
    let reading = Task { [body] in await body.nextPiece() }
    self.reading = reading
    let piece = try await AppWait<Result<ByteBuffer?, LoadError>>.disk(context) { await reading.value }
    self.reading = nil
    return try piece.get()
  }

  /// There will be no further piece. A reading under way ends first.
  func abandon() {
    guard let reading else { return body.abandon() }
    body.interrupt()
    Task { [body] in
      _ = await reading.value
      body.abandon()
    }
  }
}
