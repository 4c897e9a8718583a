import LoadingModel
import NIOCore
import ProtocolRules

/// The client's side of one HTTP/2 connection without its socket (RFC 9113): bytes go in, events and bytes to send come out.
///
/// The connection appends what arrives, asks for `next` until there is nothing more, and sends what is in `output`. Owned by the
/// connection; reads no clock.
struct HTTP2Machine {
  enum Event {
    case informational(HTTP2Stream, ResponseHead)
    /// The final head. `length` is that of its bytes on the wire.
    case head(HTTP2Stream, ResponseHead, ResponseBodyFraming, length: Int)
    case data(HTTP2Stream, ByteBuffer)
    /// The response is complete, and the stream is no longer open.
    case ended(HTTP2Stream)
    case failed(HTTP2Stream, LoadError)
    /// No stream can begin any more. These had begun, and the server hasn't looked at them.
    case goingAway(refused: [HTTP2Stream])
    /// The server's limits have changed.
    case settings
    /// The answer to a ping.
    case pong
    /// Where else an origin is served, as in the field Alt-Svc: that of the stream's request, or the one that is named.
    case alternatives(String, HTTP2Stream?, named: String)
  }

  enum Reading {
    case header
    case payload(HTTP2FrameHeader)
    case data(DataFrame)
  }

  /// A DATA frame of which a part has come.
  struct DataFrame {
    /// nil if it is discarded.
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

  /// When something comes in, in nanoseconds: set by the connection.
  var now: UInt64 = 0
  /// Bytes to be sent.
  var output = ByteBuffer()
  var streams = HTTP2StreamTable()

  // What has arrived.
  var unread = ByteBuffer()
  var reading = Reading.header
  var section: OpenSection?
  /// Its last frame has been seen; the event is due.
  var ending: HTTP2Stream?
  var decoder = HPACKDecoder()
  var futile = FutileFrames()
  var closed = ClosedStreams()
  var credit = ReceiveCredit()

  // What the peer allows.
  var encoder = HPACKEncoder()
  var peer = PeerSettings()
  var line = HTTP2SendLine()

  var nextID: Int32 = 1
  /// The last stream that the server has said it will serve; nil before GOAWAY.
  var lastServed: Int32?
  let scheme: String

  init(scheme: String) { self.scheme = scheme }

  /// The connection preface (3.4).
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
    // 5.1.1: ids are never used again. The last one leaves nothing to follow: below zero, no stream is available.
    nextID &+= 2
    exchange?.streamID = stream.id
    streams.append(stream)
    let priority = exchange?.context.priority.level ?? PriorityField.ordinaryPriority
    // What comes through a tunnel isn't a body.
    let isIncremental = request.connectProtocol == nil && exchange?.context.priority.isIncremental == true
    let length = HTTP2RequestHead(request: request, scheme: scheme, priority: priority, isIncremental: isIncremental)
      .write(stream.id, endsStream: endsStream, frameLimit: peer.frameLimit, &encoder, &output)
    if endsStream { stream.sending = .ended } else { stream.requestLeft = request.announcedLength }
    return (stream, length)
  }

  /// Gives a stream up.
  mutating func cancel(_ stream: HTTP2Stream) {
    // The last bytes of the protocol in a tunnel are still sent, as far as windows allow.
    if stream.isTunnel, stream.isOpen, stream.sending != .ended, stream.pending.readableBytes > 0 { sendPart(stream) }
    reset(stream, .cancel)
  }

  /// Ends a stream with RST_STREAM.
  mutating func reset(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) {
    guard stream.isOpen else { return }
    output.writeResetStream(stream.id, code)
    // What the server has sent before it hears of this must not be taken for a fault.
    closed.noteReset(stream.id)
    remove(stream)
  }

  mutating func remove(_ stream: HTTP2Stream) {
    stream.isOpen = false
    stream.pending = ByteBuffer()
    streams.remove(stream.id)
    credit.ended(stream)
  }

  /// Everything has come to an end: the streams that were open.
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
