import NIOCore

/// Tells a watcher of the frames that pass on the way between TLS and an `HTTP2Connection`; all bytes go on unchanged.
///
/// In the channels alone whose watcher wants that. Confined to the event loop.
final class FrameTap: ChannelInboundHandler, ChannelOutboundHandler, @unchecked Sendable {
  // @unchecked: confined to the channel's event loop.
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let watcher: any ConnectionWatcher
  private var received = HTTP2FrameScanner(isSent: false)
  private var sent = HTTP2FrameScanner(isSent: true)

  init(_ watcher: any ConnectionWatcher) { self.watcher = watcher }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    unwrapInboundIn(data).withUnsafeReadableBytes { received.scan($0, watcher.carried) }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    unwrapOutboundIn(data).withUnsafeReadableBytes { sent.scan($0, watcher.carried) }
    context.write(data, promise: promise)
  }
}

/// Finds the frames in one direction of an HTTP/2 connection (RFC 9113, 4.1). A value; knows nothing of their meaning.
struct HTTP2FrameScanner {
  /// The most bytes of a frame's payload that are reported.
  static let payloadLimit = 256
  /// RFC 9113, 3.4: what a client sends before its first frame.
  private static let prefaceLength = 24

  private let isSent: Bool
  private var preface: Int
  /// The bytes of the current frame's header that have been scanned so far.
  private var header: [UInt8] = []
  private var payload: [UInt8] = []
  /// The number of payload bytes of the current frame that are still to come.
  private var rest = 0

  init(isSent: Bool) {
    self.isSent = isSent
    preface = isSent ? HTTP2FrameScanner.prefaceLength : 0
  }

  mutating func scan(_ bytes: UnsafeRawBufferPointer, _ tell: (WatchedFrame) -> Void) {
    var left = bytes[...]
    while !left.isEmpty {
      if preface > 0 {
        let count = min(preface, left.count)
        preface -= count
        left = left.dropFirst(count)
      } else if header.count < HTTP2FrameHeader.length {
        header.append(left.removeFirst())
        guard header.count == HTTP2FrameHeader.length else { continue }
        rest = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
        // A frame with content is reported when its header is complete, as its payload may take time to arrive.
        if rest == 0 || isContent { tell(frame) }
        if rest == 0 { header = [] }
      } else {
        let count = min(rest, left.count)
        if !isContent { payload += left.prefix(min(count, HTTP2FrameScanner.payloadLimit - payload.count)) }
        rest -= count
        left = left.dropFirst(count)
        guard rest == 0 else { continue }
        if !isContent { tell(frame) }
        (header, payload) = ([], [])
      }
    }
  }

  /// Whether the frame carries header fields or body (DATA, HEADERS …), whose payload isn't reported.
  private var isContent: Bool {
    switch header[3] {
    case HTTP2FrameHeader.Kind.data, HTTP2FrameHeader.Kind.headers, HTTP2FrameHeader.Kind.continuation,
      HTTP2FrameHeader.Kind.pushPromise:
      true
    default: false
    }
  }

  private var frame: WatchedFrame {
    let length = UInt64(header[0]) << 16 | UInt64(header[1]) << 8 | UInt64(header[2])
    let stream = Int64(header[5] & 0x7F) << 24 | Int64(header[6]) << 16 | Int64(header[7]) << 8 | Int64(header[8])
    return WatchedFrame(
      .http2(type: header[3], flags: header[4]), isSent: isSent, stream: stream, length: length, payload: payload)
  }
}
