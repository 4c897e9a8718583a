import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// A request body that is sent piece by piece: large data, a stream or a file. Confined to its load.
final class RequestBody: @unchecked Sendable {
  // @unchecked: one pump at a time uses `source` and `sent`, on the load's executor; the rest is immutable.

  /// The length of the body in bytes; nil if unknown.
  let length: Int64?
  private let source: any BodyReader
  /// The source if it is a file; else nil.
  private let file: FileReader?
  /// The source if trailer fields follow it; else nil.
  private let trailing: PiecesReader?
  private var sent: Int64 = 0

  init(length: Int64?, source: any BodyReader) {
    self.length = length
    self.source = source
    file = source as? FileReader
    trailing = (source as? PiecesReader).flatMap { $0.hasTrailers ? $0 : nil }
  }

  /// Opens the body of a request; nil if there is nothing to send piece by piece.
  static func open(
    _ body: LoadRequest.Body, _ load: Load
  ) async throws(LoadError) -> RequestBody? {
    let context = load.context
    switch body {
    case .none: return nil
    case .data(let data):
      return data.isEmpty ? nil : RequestBody(length: Int64(data.count), source: DataReader(data))
    case .file(let url, let start, let end):
      guard url.isFileURL else {
        throw LoadError(.cannotOpenFile, .send, "the file to upload must be named by a file: URL")
      }
      let reader = try await AppWait<Result<FileReader, LoadError>>.disk(context) {
        await FileReader.opened(path: url.path, isWatched: true)
      }
      .get()
      if let upload = load.upload, !upload.fits(length: reader.size, stamp: reader.stamp) {
        throw LoadError(.requestBodyStreamExhausted, .send, "the file isn't what it was when its upload began: begin a new upload")
      }
      // What the kernel makes up when it is read has no known length, and no parts.
      guard reader.hasKnownSize || start > 0 else { return RequestBody(length: nil, source: reader) }
      guard start > 0 || end != nil else { return RequestBody(length: reader.size, source: reader) }
      let part = reader.limited(from: start, upTo: end)
      return RequestBody(length: part.rest, source: part)
    case .parts(let parts, let start, let end):
      let reader = try await AppWait<Result<PartsReader, LoadError>>.disk(context) {
        await PartsReader.opened(parts, from: start, upTo: end)
      }
      .get()
      return RequestBody(length: reader.length, source: reader)
    case .pieces(let pieces):
      guard pieces.canBegin else {
        throw LoadError(
          .requestBodyStreamExhausted, .send,
          "the request's body must be sent again, and its sequence has been read already: supply one that can be made anew")
      }
      return RequestBody(length: pieces.length, source: PiecesReader(pieces))
    case .stream(let stream):
      let reader = StreamReader(stream, load.begunStreams)
      if try await reader.isFresh(context) { return RequestBody(length: nil, source: reader) }
      // The stream has been read before, for an earlier attempt or before a redirect: only the app can supply another.
      let supplied = await load.client.bodies?.newBodyStream(from: 0)
      try context.checkpoint()
      guard let fresh = try await StreamReader.fresh(supplied, load) else {
        throw LoadError(
          .requestBodyStreamExhausted, .send,
          "the request's body stream has been read already and must be sent again; supply one in urlSession(_:task:needNewBodyStream:)")
      }
      return RequestBody(length: nil, source: fresh)
    case .suppliedStream(let offset, let end):
      let supplied = await load.client.bodies?.newBodyStream(from: offset)
      try context.checkpoint()
      guard let reader = try await StreamReader.fresh(supplied, load) else {
        throw LoadError(
          .requestBodyStreamExhausted, .send,
          "a streamed upload needs a body stream that isn't open yet: supply one in urlSession(_:task:needNewBodyStream:)")
      }
      guard let upload = load.upload else { return RequestBody(length: nil, source: reader) }
      return RequestBody(length: nil, source: UploadStreamReader(reader, of: upload, from: offset, upTo: end))
    }
  }

  /// Sends the whole body in a Swift task of its own, beside the load that waits for the response. When the exchange ends, it ends the task.
  func pump(into exchange: Exchange, _ head: OutgoingHead, _ client: (any BodySupplying)?) {
    exchange.whenSendingEnds = { [source] in source.interrupt() }
    Task(executorPreference: exchange.context.executor) { [self] in
      do throws(LoadError) {
        if head.expectsContinue {
          // A final response has come instead of 100: the body isn't sent, and the connection, on which it is missing, isn't used again.
          guard await exchange.waitForContinue() else { return source.abandon() }
        }
        try await sendAll(into: exchange, head.framing, client)
      } catch {
        exchange.interrupt(error)
      }
      exchange.whenSendingEnds = nil
      source.abandon()
    }
  }

  /// The next piece, for transports that send the body themselves (a failure if it can't be read); nil at its end.
  func nextPiece() async -> Result<ByteBuffer?, LoadError> {
    do throws(LoadError) {
      return .success(try await source.next())
    } catch {
      return .failure(error)
    }
  }

  /// The trailer fields; empty before the end of the body.
  var trailers: HeaderFields { trailing?.trailers ?? HeaderFields() }

  func abandon() { source.abandon() }

  func interrupt() { source.interrupt() }

  private func sendAll(into exchange: Exchange, _ framing: BodyFraming, _ client: (any BodySupplying)?) async throws(LoadError) {
    var expected: Int64 = trailing == nil ? -1 : length ?? -1
    if case .length(let announced) = framing { expected = announced }
    // When all announced bytes have been sent, the request is complete: the server may answer before the source has reported its end.
    while exchange.acceptsBody, trailing != nil || sent != expected {
      try await exchange.context.waitWhileSuspended()
      // While this task was suspended, another attempt may have begun to read the same source.
      guard exchange.acceptsBody else { return }
      guard let count = try await sendNext(into: exchange, expected) else { break }
      // If the response has ended meanwhile, the app must not be told of further bytes.
      guard exchange.acceptsBody else { return }
      exchange.context.noteActivity()
      sent += count
      exchange.context.record.requestBodyBytesBeforeEncoding = sent
      client?.didSendBody(bytes: count, total: sent, expected: expected)
    }
    guard exchange.acceptsBody else { return }
    guard expected < 0 || sent == expected else { throw RequestBody.wrongLength(expected) }
    let trailers = trailing?.trailers ?? HeaderFields()
    try TrailerRules.check(trailers)
    exchange.finishSending(trailers)
  }

  /// Sends the next piece; returns its length, or nil at the end of the body.
  private func sendNext(into exchange: Exchange, _ expected: Int64) async throws(LoadError) -> Int64? {
    if let file, file.isWorthHandingOver, exchange.takesFiles, exchange.context.contents == nil {
      guard let part = try await file.nextPart() else { return nil }
      guard exchange.acceptsBody else { return 0 }
      try await exchange.send(part)
      return Int64(part.range.count)
    }
    guard let piece = try await source.next() else { return nil }
    // An early final response ends the sending; the connection isn't used again.
    guard exchange.acceptsBody else { return 0 }
    let count = Int64(piece.readableBytes)
    guard expected < 0 || sent + count <= expected else { throw RequestBody.wrongLength(expected) }
    exchange.context.contents?.sent(body: piece)
    try await exchange.send(piece)
    return count
  }

  private static func wrongLength(_ expected: Int64) -> LoadError {
    LoadError(
      .requestBodyStreamExhausted, .send,
      "the body isn't the \(expected) bytes long that its Content-Length says; correct the field or leave it out")
  }
}

/// Data in memory, returned in pieces.
package final class DataReader: BodyReader {
  private static let pieceSize = 128 * 1024
  private var rest: Data

  package init(_ data: Data) { rest = data }

  package func next() async throws(LoadError) -> ByteBuffer? {
    guard !rest.isEmpty else { return nil }
    let piece = rest.prefix(DataReader.pieceSize)
    rest = rest.dropFirst(piece.count)
    return ByteBuffer(bytes: piece)
  }

  package func abandon() { rest = Data() }
}
