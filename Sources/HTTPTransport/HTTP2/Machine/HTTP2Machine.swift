import LoadingModel
import NIOCore
import ProtocolRules

/// The client's protocol state of one HTTP/2 connection (RFC 9113), without its socket: it turns received bytes into events and bytes to be sent.
///
/// The connection appends received bytes, calls `next` until it returns nil, and sends the contents of `output`. Owned by the connection; reads no
/// clock.
struct HTTP2Machine {
  enum Event {
    case informational(HTTP2Stream, ResponseHead)
    /// The final response head; `length` is the size of its encoded field section in bytes.
    case head(HTTP2Stream, ResponseHead, ResponseBodyFraming, length: Int)
    case data(HTTP2Stream, ByteBuffer)
    /// The response is complete, and the stream is no longer open.
    case ended(HTTP2Stream)
    case failed(HTTP2Stream, LoadError)
    /// GOAWAY: no new stream can be opened. `refused` are the open streams that the server declares unprocessed.
    case goingAway(refused: [HTTP2Stream])
    /// The server's SETTINGS have been applied.
    case settings
    /// The server has answered a PING.
    case pong
    /// The value of an ALTSVC frame (alternative services, RFC 7838): for the origin of the stream's request, or for the one that is named.
    case alternatives(String, HTTP2Stream?, named: String)
  }

  enum Reading {
    case header
    case payload(HTTP2FrameHeader)
    case data(DataFrame)
  }

  /// A DATA frame of which a part has come.
  struct DataFrame {
    /// The stream that gets the data; nil if it is closed and the data is discarded.
    var stream: HTTP2Stream?
    var left: Int
    var padding: Int
    var needsPadding: Bool
    var endsStream: Bool
  }

  /// A field section of which more is to come in CONTINUATION frames.
  struct OpenSection {
    var stream: Int32
    var endsStream: Bool
    var block: ByteBuffer
    var frames = 1
  }

  /// The time in nanoseconds at which bytes are received or credited; set by the connection before each call.
  var now: UInt64 = 0
  /// Bytes to be sent.
  var output = ByteBuffer()
  /// Bytes that have been taken out of `output`.
  var writtenBytes = 0
  /// Where the output ends, counted from the connection's beginning.
  var outputEnd: Int { writtenBytes + output.readableBytes }
  var streams = StreamTable<HTTP2Stream>()

  // State of receiving.
  var unread = ByteBuffer()
  var reading = Reading.header
  var section: OpenSection?
  /// The stream whose final head had END_STREAM: the next event is its end.
  var ending: HTTP2Stream?
  var decoder = HPACKDecoder()
  var futile = FutileFrames()
  var closed = ClosedStreams()
  var credit = ReceiveCredit()

  // State of sending, with the limits that the peer has set.
  var encoder = HPACKEncoder()
  var peer = PeerSettings()
  var line = HTTP2SendLine()

  var nextID: Int32 = 1
  /// The last stream that the server has said it will serve; nil before GOAWAY.
  var lastServed: Int32?
  let scheme: String

  init(scheme: String) { self.scheme = scheme }

  /// Writes the connection preface and the client's SETTINGS (3.4).
  mutating func begin() {
    output.writeStaticString("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    output.writeSettings([
      (.enablePush, 0),
      (.initialWindowSize, UInt32(ReceiveCredit.initialWindow)),
      (.maximumHeaderListSize, UInt32(FieldSection.sizeLimit)),
      (.noOldPriorities, 1),
    ])
    output.writeWindowUpdate(0, ReceiveCredit.connectionWindow - 65535)
    credit.settingsSent(now)
  }

  // MARK: streams

  /// Streams that can begin now.
  var availableStreams: Int {
    guard lastServed == nil, nextID > 0 else { return 0 }
    return max(0, peer.maximumStreams - streams.count)
  }

  /// Begins a stream with the request's head. Only while `availableStreams` isn't zero.
  /// - Returns: The stream, and the length of the encoded head.
  mutating func start(_ exchange: Exchange?, _ request: OutgoingRequest, endsStream: Bool) -> (HTTP2Stream, Int) {
    let stream = HTTP2Stream(
      id: nextID, exchange: exchange, method: request.method, window: ReceiveCredit.initialWindow, sendWindow: peer.initialWindow, now: now)
    // Stream ids are never reused (5.1.1). After the largest one `nextID` overflows below zero: then no stream is available.
    nextID &+= 2
    exchange?.streamID = stream.id
    streams.append(stream)
    let priority = exchange?.context.priority.level ?? PriorityField.ordinaryPriority
    // The data of a tunnel isn't a body, which could be incremental.
    let isIncremental = request.connectProtocol == nil && exchange?.context.priority.isIncremental == true
    let length = HTTP2RequestHead(request: request, scheme: scheme, priority: priority, isIncremental: isIncremental)
      .write(stream.id, endsStream: endsStream, frameLimit: peer.frameLimit, &encoder, &output)
    if endsStream { stream.sending = .ended } else { stream.requestLeft = request.announcedLength }
    return (stream, length)
  }

  /// Resets a stream (CANCEL) whose load needs it no more.
  mutating func cancel(_ stream: HTTP2Stream) {
    // The last bytes of a tunnel's protocol, such as a WebSocket's close frame, are sent before the reset as far as the windows allow.
    if stream.isTunnel, stream.isOpen, stream.sending != .ended, stream.pending.readableBytes > 0 { sendPart(stream) }
    reset(stream, .cancel)
  }

  /// Ends a stream with RST_STREAM.
  mutating func reset(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) {
    guard stream.isOpen else { return }
    output.writeResetStream(stream.id, code)
    // Frames that the server has sent before it receives the reset aren't errors.
    closed.noteReset(stream.id)
    remove(stream)
  }

  mutating func remove(_ stream: HTTP2Stream) {
    stream.isOpen = false
    stream.pending = ByteBuffer()
    streams.remove(stream.id)
    credit.ended(stream)
  }

  /// Closes all streams at the end of the connection, and returns them.
  mutating func removeAll() -> [HTTP2Stream] {
    let removed = streams.removeAll()
    for stream in removed {
      stream.isOpen = false
      stream.pending = ByteBuffer()
    }
    line.removeAll()
    return removed
  }

  /// Whether `id` is one that no stream has had yet (5.1, "idle"); servers have no streams here at all.
  func isIdle(_ id: Int32) -> Bool { id & 1 == 0 || (nextID > 0 && id >= nextID) }

  static func malformed(_ explanation: String) -> LoadError {
    LoadError(.cannotParseResponse, .head, "the server's answer is not well-formed HTTP/2: \(explanation)")
  }
}
