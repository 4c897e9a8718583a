import LoadingModel
import NIOCore

// Sending request bodies (RFC 9113, 6.1) within the windows of the stream and the connection (5.2).
extension HTTP2Machine {
  /// The most payload bytes of a DATA frame: with its header it fills one TLS record of 16 KiB.
  private static let dataLimit = 16384 - HTTP2FrameHeader.length

  /// Adds bytes to the stream's body, and the stream to the line of streams that have data to send.
  mutating func send(_ bytes: ByteBuffer, _ stream: HTTP2Stream) {
    guard stream.isOpen, stream.sending == .open, bytes.readableBytes > 0 else { return }
    if stream.pending.readableBytes == 0 { stream.pending = bytes } else { stream.pending.writeImmutableBuffer(bytes) }
    if let left = stream.requestLeft {
      stream.requestLeft = left - Int64(bytes.readableBytes)
      // With Content-Length the last byte is known, so that its frame can carry END_STREAM.
      if left <= Int64(bytes.readableBytes) { stream.sending = .ending }
    }
    line.queue(stream)
  }

  /// Ends the request's body; `trailers` are sent behind it.
  mutating func finish(_ stream: HTTP2Stream, _ trailers: HeaderFields = HeaderFields()) {
    guard stream.isOpen, stream.sending == .open else { return }
    stream.requestTrailers = trailers
    stream.sending = .ending
    line.queue(stream)
  }

  /// Whether a stream has something to send that the windows allow.
  var hasLine: Bool { line.isReady }

  /// Writes data frames, one a stream in turn, while windows allow and `output` holds less than `limit` bytes.
  mutating func pump(limit: Int) {
    while output.readableBytes < limit, let stream = line.next() {
      guard stream.isOpen, stream.sending != .ended else { continue }
      sendPart(stream)
    }
  }

  mutating func sendPart(_ stream: HTTP2Stream) {
    let waiting = stream.pending.readableBytes
    // The window can be negative (6.9.2): then only an empty frame with END_STREAM can be sent, which needs no window (6.9.1).
    let count = max(0, min(waiting, HTTP2Machine.dataLimit, peer.frameLimit, stream.sendWindow, line.window))
    guard waiting == 0 || count > 0 else {
      return line.block(stream)
    }
    let isLast = count == waiting && stream.sending == .ending
    guard count > 0 || isLast else { return }
    futile.progress()
    let endsHere = isLast && stream.requestTrailers.isEmpty
    if count > 0 || endsHere {
      output.writeFrameHeader(count, HTTP2FrameHeader.Kind.data, endsHere ? HTTP2FrameHeader.Flag.endStream : 0, stream.id)
    }
    if count > 0, let part = stream.pending.readSlice(length: count) { output.writeImmutableBuffer(part) }
    stream.outputEnd = outputEnd
    line.count(count, of: stream)
    if isLast {
      if !endsHere { HTTP2Trailers(stream.requestTrailers).write(stream.id, frameLimit: peer.frameLimit, &encoder, &output) }
      stream.sending = .ended
    }
    if stream.pending.readableBytes == 0 { stream.pending = ByteBuffer() } else { line.queue(stream) }
  }
}
