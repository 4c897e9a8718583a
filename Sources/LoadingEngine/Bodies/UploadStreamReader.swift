import HTTPTransport
import LoadingModel
import NIOCore

/// Reads the stream of a resumable upload, from one byte on and perhaps up to another, and notes in the upload where the stream ends. Confined to
/// its load.
final class UploadStreamReader: BodyReader {
  private let stream: StreamReader
  private let upload: ResumableUpload
  private var offset: Int64
  /// The offset at which to stop; nil for the stream's end.
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
      if !stream.isOver { upload.noteEnd(at: offset) }
      return nil
    }
    // The bytes that are cut off are read again, from the stream of the next part.
    if let end, Int64(piece.readableBytes) > end - offset { piece.moveWriterIndex(to: piece.readerIndex + Int(end - offset)) }
    offset += Int64(piece.readableBytes)
    return piece
  }

  func abandon() { stream.abandon() }

  func interrupt() { stream.interrupt() }
}
