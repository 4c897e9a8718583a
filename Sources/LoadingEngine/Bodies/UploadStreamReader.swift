import HTTPTransport
import LoadingModel
import NIOCore

/// The stream of an upload that can be resumed, from one byte on and perhaps up to another; tells the upload where it ends. Confined to its
/// load.
final class UploadStreamReader: BodyReader {
  private let stream: StreamReader
  private let upload: ResumableUpload
  private var offset: Int64
  /// Where to stop before the stream's end.
  private let end: Int64?

  init(_ stream: StreamReader, of upload: ResumableUpload, from offset: Int64, upTo end: Int64?) {
    self.stream = stream
    self.upload = upload
    self.offset = offset
    self.end = end
  }

  func next() async throws(LoadError) -> ByteBuffer? {
    if let end, offset >= end { return nil }
    guard var piece = try await stream.next() else {
      upload.noteEnd(at: offset)
      return nil
    }
    // What is cut off is read again, from the stream of the next part.
    if let end, Int64(piece.readableBytes) > end - offset { piece.moveWriterIndex(to: piece.readerIndex + Int(end - offset)) }
    offset += Int64(piece.readableBytes)
    return piece
  }

  func abandon() { stream.abandon() }
}
