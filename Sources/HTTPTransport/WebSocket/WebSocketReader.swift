import NIOCore
import ProtocolRules

/// Parses the bytes that a server sends into messages and control frames (RFC 6455, 5.4 and 6.2). Received bytes are appended, and `next` returns
/// the events.
///
/// header -> payload -> header …      a message's fragments gather in `draft`; control frames may come between them
///
/// Memory isn't allocated for a length that a header only announces: it grows with the received bytes, up to the limit. Owned by the
/// `WebSocketSession`.
struct WebSocketReader {
  enum Event {
    case message(WebSocketMessage)
    case ping(ByteBuffer)
    case pong(ByteBuffer)
    case close(WebSocketClose)
  }

  /// A frame whose payload hasn't been received completely.
  private struct Frame {
    let header: WebSocketFrameHeader
    var left: Int
  }

  /// A message that hasn't been received completely.
  private struct Draft {
    let kind: WebSocketMessage.Kind
    let isCompressed: Bool
    /// The most bytes of the message, decompressed: `maximumMessageSize` when the message began.
    let limit: Int
    var bytes = ByteBuffer()
    /// The number of bytes at the start of `bytes` that have been checked to be UTF-8.
    var validated = 0
    var validator = UTF8Validator()
  }

  /// Payloads up to this size are copied: as slices they would keep a read buffer of many times their size in memory.
  private static let copyLimit = 4096
  /// The most bytes of a message, whatever `maximumMessageSize` says. `ByteBuffer` holds up to 4 GiB.
  static let longestMessage = 1 << 30
  /// The most bytes that are allocated in advance for a frame's payload.
  private static let reservation = 256 * 1024

  /// The most bytes of a message, decompressed; applies to messages that begin later.
  var maximumMessageSize: Int
  private let compression: WebSocketCompression?
  private var inflater: MessageInflater?
  private var unread = ByteBuffer()
  private var frame: Frame?
  private var draft: Draft?
  /// The payload of a control frame as far as it has been received.
  private var control = ByteBuffer()

  init(maximumMessageSize: Int, compression: WebSocketCompression?) {
    self.maximumMessageSize = maximumMessageSize
    self.compression = compression
  }

  mutating func append(_ bytes: ByteBuffer) {
    if unread.readableBytes == 0 {
      unread = bytes
    } else {
      // Only an incomplete header is left over from earlier bytes, so that the copy is small.
      var joined = ByteBufferAllocator().buffer(capacity: unread.readableBytes + bytes.readableBytes)
      joined.writeImmutableBuffer(unread)
      joined.writeImmutableBuffer(bytes)
      unread = joined
    }
  }

  /// The next event in the received bytes; nil if more are needed.
  mutating func next() throws(WebSocketViolation) -> Event? {
    while true {
      guard let current = frame else {
        guard let header = try nextHeader() else { return nil }
        try begin(header)
        continue
      }
      guard current.left == 0 || unread.readableBytes > 0 else {
        unread = ByteBuffer()
        return nil
      }
      if let event = current.header.opcode.isControl ? try takeControl(current) : try takePayload(current) { return event }
    }
  }

  private mutating func nextHeader() throws(WebSocketViolation) -> WebSocketFrameHeader? {
    guard unread.readableBytes > 0 else {
      // Releases the storage, so that it can be read into again.
      unread = ByteBuffer()
      return nil
    }
    var violation: WebSocketViolation?
    let parsed = unread.withUnsafeReadableBytes { bytes -> (header: WebSocketFrameHeader, size: Int)? in
      do throws(WebSocketViolation) {
        return try WebSocketFrameHeader.parse(bytes, permitsCompression: compression != nil)
      } catch {
        violation = error
        return nil
      }
    }
    if let violation { throw violation }
    guard let parsed else { return nil }
    unread.moveReaderIndex(forwardBy: parsed.size)
    return parsed.header
  }

  /// Begins a frame: checks that a message consists of one data frame and the continuations behind it (RFC 6455, 5.4).
  private mutating func begin(_ header: WebSocketFrameHeader) throws(WebSocketViolation) {
    frame = Frame(header: header, left: header.length)
    switch header.opcode {
    case .close, .ping, .pong: return
    case .continuation:
      guard draft != nil else { throw WebSocketViolation(.protocolError, "sent a continuation of nothing") }
    case .text, .binary:
      guard draft == nil else { throw WebSocketViolation(.protocolError, "began a message before the one before was complete") }
      draft = Draft(
        kind: header.opcode == .text ? .text : .binary, isCompressed: header.isCompressed,
        limit: min(max(0, maximumMessageSize), WebSocketReader.longestMessage))
    }
    guard let draft, !draft.isCompressed else { return }
    guard header.length <= draft.limit - draft.bytes.readableBytes else { throw .tooBig(draft.limit) }
  }

  // MARK: messages

  private mutating func takePayload(_ current: Frame) throws(WebSocketViolation) -> Event? {
    let count = min(current.left, unread.readableBytes)
    let isWholeFrame = count == current.left
    if isWholeFrame { frame = nil } else { frame?.left -= count }
    guard var draft else { return nil }
    self.draft = nil
    try add(count, of: current, to: &draft)
    if draft.kind == .text { try validate(&draft) }
    guard isWholeFrame, current.header.isFinal else {
      self.draft = draft
      return nil
    }
    if draft.isCompressed {
      try inflating { inflater throws(WebSocketViolation) in try inflater.endMessage(into: &draft.bytes, limit: draft.limit) }
      if draft.kind == .text { try validate(&draft) }
    }
    guard draft.validator.isAtBoundary else { throw WebSocketReader.notText }
    return .message(WebSocketMessage(kind: draft.kind, bytes: draft.bytes))
  }

  private mutating func add(_ count: Int, of current: Frame, to draft: inout Draft) throws(WebSocketViolation) {
    guard count > 0, var piece = unread.readSlice(length: count) else { return }
    guard !draft.isCompressed else {
      var violation: WebSocketViolation?
      try inflating { inflater throws(WebSocketViolation) in
        piece.withUnsafeReadableBytes { bytes in
          do throws(WebSocketViolation) {
            try inflater.inflate(bytes, into: &draft.bytes, limit: draft.limit)
          } catch {
            violation = error
          }
        }
      }
      if let violation { throw violation }
      return
    }
    let isAll = count == current.header.length && current.header.isFinal && draft.bytes.readableBytes == 0
    if isAll, count > WebSocketReader.copyLimit {
      draft.bytes = piece
    } else {
      if draft.bytes.readableBytes == 0 { draft.bytes.reserveCapacity(min(current.header.length, WebSocketReader.reservation)) }
      draft.bytes.writeBuffer(&piece)
    }
  }

  /// Checks that the new bytes of a text message are valid UTF-8, as RFC 6455, 8.1 requires.
  private func validate(_ draft: inout Draft) throws(WebSocketViolation) {
    var validator = draft.validator
    let isText = draft.bytes.withUnsafeReadableBytes { bytes in
      validator.accepts(UnsafeRawBufferPointer(rebasing: bytes[draft.validated...]))
    }
    guard isText else { throw WebSocketReader.notText }
    draft.validator = validator
    draft.validated = draft.bytes.readableBytes
  }

  private static let notText = WebSocketViolation(.invalidPayload, "sent a text message that isn't UTF-8")

  private mutating func inflating(
    _ body: (MessageInflater) throws(WebSocketViolation) -> Void
  ) throws(WebSocketViolation) {
    if inflater == nil { inflater = compression.flatMap { MessageInflater($0) } }
    guard let inflater else {
      throw WebSocketViolation(.messageTooBig, "sent a compressed message, and there is no memory to decompress it")
    }
    try body(inflater)
  }

  // MARK: control frames

  private mutating func takeControl(_ current: Frame) throws(WebSocketViolation) -> Event? {
    let count = min(current.left, unread.readableBytes)
    if var piece = unread.readSlice(length: count) { control.writeBuffer(&piece) }
    frame?.left -= count
    guard count == current.left else { return nil }
    frame = nil
    let payload = control
    control = ByteBuffer()
    switch current.header.opcode {
    case .ping: return .ping(payload)
    case .pong: return .pong(payload)
    case .close: return .close(try WebSocketReader.close(payload))
    case .continuation, .text, .binary: return nil
    }
  }

  private static func close(_ payload: ByteBuffer) throws(WebSocketViolation) -> WebSocketClose {
    let result = payload.withUnsafeReadableBytes { bytes in
      Result { () throws(WebSocketViolation) in try WebSocketClose(payload: bytes) }
    }
    return try result.get()
  }
}
