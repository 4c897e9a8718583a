import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// Delivers a body of the type multipart/x-mixed-replace part by part: a response for each part, then its data.
///
/// Belongs to one load; confined to its event loop. It holds back only the beginning of a delimiter or of a part's head, whose length the parser
/// limits.
struct PartDelivery {
  private let whole: LoadResponse
  private let receiver: any PartReceiving
  private var parser: MixedReplaceParser
  private var unread = ByteBuffer()

  /// Nil if the body is to be delivered as it comes, because the client wants no parts or the body has another type.
  init?(_ loaded: Loaded, to client: any LoadClient) {
    guard let receiver = client.parts, let head = loaded.response.httpHead, let parser = MixedReplaceParser(head.headers) else {
      return nil
    }
    whole = loaded.response
    self.receiver = receiver
    self.parser = parser
  }

  /// Delivers what `piece` completes. Returns when the client has room for more.
  mutating func take(_ piece: ByteBuffer, _ context: LoadContext) async throws(LoadError) {
    unread.discardReadBytes()
    if unread.readableBytes == 0 { unread = piece } else { unread.writeImmutableBuffer(piece) }
    while unread.readableBytes > 0 {
      switch try step() {
      case .incomplete(let consumed): return unread.moveReaderIndex(forwardBy: consumed)
      case .part(let fields, let consumed):
        unread.moveReaderIndex(forwardBy: consumed)
        try await receiver.didReceive(part: whole.part(fields))
      case .data(let skip, let count):
        unread.moveReaderIndex(forwardBy: skip)
        guard let data = unread.readSlice(length: count) else { return }
        try await receiver.didReceive(body: data)
      case .ended: return unread.clear()
      }
      if context.isSuspended { try await context.waitWhileSuspended() }
      try context.checkpoint()
    }
  }

  /// Delivers the bytes held back as data, because the body has ended without a closing delimiter.
  mutating func finish() async throws(LoadError) {
    guard let data = unread.readSlice(length: parser.rest(unread.readableBytes)), data.readableBytes > 0 else { return }
    try await receiver.didReceive(body: data)
  }

  private mutating func step() throws(LoadError) -> MixedReplaceParser.Outcome {
    var result: Result<MixedReplaceParser.Outcome, LoadError> = .success(.incomplete(consumed: 0))
    unread.withUnsafeReadableBytes { bytes in
      do throws(LoadError) {
        result = .success(try parser.consume(bytes))
      } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }
}
