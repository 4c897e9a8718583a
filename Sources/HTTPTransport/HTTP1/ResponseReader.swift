import LoadingModel
import NIOCore
import ProtocolRules

/// Turns the bytes of one HTTP/1 connection into responses, one after the other.
///
///     resting -> head -> (1xx: head again) -> body -> resting
///
/// The connection says how each body is framed, once it has seen the head. Owned by the connection.
struct ResponseReader {
  enum Event {
    case head(ResponseHead, length: Int)
    case body(ByteBuffer)
    /// With the fields behind the body.
    case end([HeaderFields.Entry])
  }

  private enum State {
    /// Nothing has been asked for.
    case resting
    case head
    /// The head is out; `read(body:)` is due.
    case framing
    case length(Int64)
    case chunked(ChunkedBodyParser)
    case untilClose
    case over
  }

  private var state = State.resting
  private var parser = ResponseHeadParser()
  private var unread = ByteBuffer()

  /// A request is sent: a head will come.
  mutating func expectHead() {
    state = .head
    parser.beginAgain()
  }

  /// How the body behind the head just read is delimited.
  mutating func read(body framing: ResponseBodyFraming) {
    switch framing {
    case .none, .length(0): state = .over
    case .length(let length): state = .length(length)
    case .chunked: state = .chunked(ChunkedBodyParser())
    case .untilClose: state = .untilClose
    }
  }

  mutating func append(_ bytes: ByteBuffer) {
    if unread.readableBytes == 0 {
      unread = bytes
    } else if unread.readerIndex == 0 {
      unread.writeImmutableBuffer(bytes)
    } else {
      // What has been read is released: a buffer that only grew would keep the whole body. The rest is a part of a line.
      var joined = ByteBufferAllocator().buffer(capacity: unread.readableBytes + bytes.readableBytes)
      joined.writeImmutableBuffer(unread)
      joined.writeImmutableBuffer(bytes)
      unread = joined
    }
  }

  /// The body's next bytes, which stay unread; nil if none have come yet, empty at its end and where it breaks the rules.
  func peekBody() -> ByteBuffer? {
    var ahead = self
    do throws(LoadError) {
      switch try ahead.next() {
      case .body(let bytes): return bytes
      case .head, .end: return ByteBuffer()
      case nil: return nil
      }
    } catch {
      return ByteBuffer()
    }
  }

  /// Whether bytes have come that belong to no response.
  var hasSurplus: Bool { unread.readableBytes > 0 }

  /// Bytes that have come and are no part of what was read so far; the reader has no further use.
  mutating func takeSurplus() -> ByteBuffer {
    defer { unread = ByteBuffer() }
    return unread
  }

  /// Whether the connection's end is the body's end (RFC 9112, 6.3, 8).
  var endsWithConnection: Bool {
    if case .untilClose = state { true } else { false }
  }

  /// Bytes of the body that haven't come here yet, if their number is known and nothing else lies here.
  var rest: Int64? {
    if case .length(let left) = state, unread.readableBytes == 0 { left } else { nil }
  }

  /// Bytes of the body have been taken past this reader, fewer than `rest`.
  mutating func skip(_ count: Int) {
    if case .length(let left) = state { state = .length(left - Int64(count)) }
  }

  /// Whether no byte has come since the request was sent.
  var isUntouched: Bool {
    if case .head = state { parser.isUntouched } else { false }
  }

  /// Bytes of a head that have come, while others are missing; nil where no head is being read, or nothing has come.
  var begunHead: Int? {
    if case .head = state, !parser.isUntouched { parser.length } else { nil }
  }

  /// The next event in what has arrived; nil if more must come.
  mutating func next() throws(LoadError) -> Event? {
    switch state {
    case .head: return try nextHead()
    case .length(let left):
      let count = Int(min(left, Int64(unread.readableBytes)))
      guard let body = take(count) else { return nil }
      state = Int64(count) == left ? .over : .length(left - Int64(count))
      return .body(body)
    case .chunked(var chunks): return try nextChunk(&chunks)
    case .untilClose: return take(unread.readableBytes).map { .body($0) }
    case .over:
      state = .resting
      return .end([])
    case .resting, .framing: return nil
    }
  }

  private mutating func nextHead() throws(LoadError) -> Event? {
    var consumed = 0
    let outcome = unread.withUnsafeReadableBytes { parser.consume($0, &consumed) }
    drop(consumed)
    switch outcome {
    case .incomplete: return nil
    case .complete(let head):
      state = .framing
      return .head(head, length: parser.length)
    case .failed(let error): throw error
    }
  }

  private mutating func nextChunk(_ chunks: inout ChunkedBodyParser) throws(LoadError) -> Event? {
    let outcome = unread.withUnsafeReadableBytes { chunks.consume($0) }
    state = .chunked(chunks)
    switch outcome {
    case .incomplete(let consumed):
      drop(consumed)
      return nil
    case .data(let skip, let count):
      drop(skip)
      return take(count).map { .body($0) }
    case .ended(let consumed):
      drop(consumed)
      state = .resting
      return .end(chunks.trailers)
    case .failed(let error): throw error
    }
  }

  private mutating func take(_ count: Int) -> ByteBuffer? {
    guard count > 0 else { return nil }
    if count == unread.readableBytes {
      defer { unread = ByteBuffer() }
      return unread
    }
    return unread.readSlice(length: count)
  }

  private mutating func drop(_ count: Int) {
    unread.moveReaderIndex(forwardBy: count)
    // Releases the storage, so that it can be read into again.
    if unread.readableBytes == 0 { unread = ByteBuffer() }
  }
}
