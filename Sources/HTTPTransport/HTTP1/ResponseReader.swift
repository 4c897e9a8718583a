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
    /// The response's end, with the trailer fields behind a chunked body.
    case end([HeaderFields.Entry])
  }

  private enum State {
    /// No response is expected.
    case resting
    case head
    /// The head has been returned; `read(body:)` must be called next.
    case framing
    case length(Int64)
    case chunked(ChunkedBodyParser)
    case untilClose
    case over
  }

  private var state = State.resting
  private var parser = ResponseHeadParser()
  private var unread = ByteBuffer()

  /// A request is being sent: prepares for its response's head.
  mutating func expectHead() {
    state = .head
    parser.beginAgain()
  }

  /// Sets how the body behind the head just returned is delimited.
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
      // Copies the unread bytes, part of a line, to a new buffer: appending to the old one would keep all bytes of the body in memory.
      var joined = ByteBufferAllocator().buffer(capacity: unread.readableBytes + bytes.readableBytes)
      joined.writeImmutableBuffer(unread)
      joined.writeImmutableBuffer(bytes)
      unread = joined
    }
  }

  /// The body's next bytes, without consuming them. nil if none have arrived; empty at the body's end, or if its framing is malformed.
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

  /// Removes and returns the bytes behind the response's head or end, which belong to another protocol. The reader isn't used afterwards.
  mutating func takeSurplus() -> ByteBuffer {
    defer { unread = ByteBuffer() }
    return unread
  }

  /// Whether the body ends when the connection is closed (RFC 9112, 6.3, 8).
  var endsWithConnection: Bool {
    if case .untilClose = state { true } else { false }
  }

  /// The number of body bytes that are still in the socket or to come; nil if the body's length is unknown or bytes are buffered here.
  var rest: Int64? {
    if case .length(let left) = state, unread.readableBytes == 0 { left } else { nil }
  }

  /// Notes that `count` bytes of the body, fewer than `rest`, have been read directly from the socket.
  mutating func skip(_ count: Int) {
    if case .length(let left) = state { state = .length(left - Int64(count)) }
  }

  /// Whether no byte has come since the request was sent.
  var isUntouched: Bool {
    if case .head = state { parser.isUntouched } else { false }
  }

  /// The number of bytes of the response's head that have arrived while it is incomplete; nil if none have, or no head is expected.
  var begunHead: Int? {
    if case .head = state, !parser.isUntouched { parser.length } else { nil }
  }

  /// Parses the next event from the bytes that have arrived; nil if more are needed.
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
