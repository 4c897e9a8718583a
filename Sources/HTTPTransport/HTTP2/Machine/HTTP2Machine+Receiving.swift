import LoadingModel
import NIOCore
import ProtocolRules

// Receiving: frames (RFC 9113, 4), data (6.1) and field sections (6.2, 6.10).
extension HTTP2Machine {
  mutating func append(_ bytes: ByteBuffer) {
    guard unread.readableBytes > 0 else {
      unread = bytes
      return
    }
    // At most an incomplete frame is left of the previous bytes. Copying releases the old buffer with the bytes that have been consumed.
    var joined = ByteBufferAllocator().buffer(capacity: unread.readableBytes + bytes.readableBytes)
    joined.writeImmutableBuffer(unread)
    joined.writeImmutableBuffer(bytes)
    unread = joined
  }

  /// The next event in the bytes that have arrived; nil if more bytes are needed.
  mutating func next() throws(HTTP2ConnectionError) -> Event? {
    if let stream = ending {
      ending = nil
      if stream.isOpen { return finishResponse(stream) }
    }
    while true {
      switch reading {
      case .header:
        guard let header = unread.readFrameHeader() else { return letGo() }
        try check(header)
        if header.type == HTTP2FrameHeader.Kind.data {
          if let failure = try beginData(header) { return failure }
        } else {
          reading = .payload(header)
        }
      case .payload(let header):
        guard let payload = unread.readSlice(length: header.payload) else { return nil }
        reading = .header
        if let event = try receive(header, payload) { return event }
      case .data(let frame):
        let (event, isWaiting) = try receiveData(frame)
        if let event { return event }
        if isWaiting { return letGo() }
      }
    }
  }

  /// Releases the buffer if all its bytes have been consumed; returns nil, as there is no event.
  private mutating func letGo() -> Event? {
    if unread.readableBytes == 0 { unread = ByteBuffer() }
    return nil
  }

  private func check(_ header: HTTP2FrameHeader) throws(HTTP2ConnectionError) {
    guard header.payload <= HTTP2FrameHeader.payloadLimit else {
      throw HTTP2ConnectionError(.frameSizeError, "a frame is larger than allowed")
    }
    // 3.4: the server's preface is a SETTINGS frame.
    if !peer.hasCome, header.type != HTTP2FrameHeader.Kind.settings || header.has(HTTP2FrameHeader.Flag.ack) {
      throw HTTP2ConnectionError(.protocolError, "its first frame isn't SETTINGS; perhaps the port doesn't speak HTTP/2")
    }
    // 6.10: nothing may come between the frames of a field section.
    if let section, header.type != HTTP2FrameHeader.Kind.continuation || header.stream != section.stream {
      throw HTTP2ConnectionError(.protocolError, "another frame stands in the middle of a field section")
    }
  }

  private mutating func receive(_ header: HTTP2FrameHeader, _ payload: ByteBuffer) throws(HTTP2ConnectionError) -> Event? {
    switch header.type {
    case HTTP2FrameHeader.Kind.headers: return try receiveHeaders(header, payload)
    case HTTP2FrameHeader.Kind.continuation: return try receiveContinuation(header, payload)
    case HTTP2FrameHeader.Kind.resetStream: return try receiveReset(header, payload)
    case HTTP2FrameHeader.Kind.settings: return try receiveSettings(header, payload)
    case HTTP2FrameHeader.Kind.ping: return try receivePing(header, payload)
    case HTTP2FrameHeader.Kind.goAway: return try receiveGoAway(header, payload)
    case HTTP2FrameHeader.Kind.windowUpdate: return try receiveWindowUpdate(header, payload)
    case HTTP2FrameHeader.Kind.alternatives: return try receiveAlternatives(header, payload)
    // PUSH_PROMISE is an error, as this client has disabled push by its SETTINGS (8.4).
    case HTTP2FrameHeader.Kind.pushPromise: throw HTTP2ConnectionError(.protocolError, "it pushes, although it was told not to")
    case HTTP2FrameHeader.Kind.priority:
      // PRIORITY must be on a stream and have five octets (6.3); its content is obsolete and has no effect (5.3.2).
      guard header.stream > 0 else { throw HTTP2ConnectionError(.protocolError, "a priority comes on no stream") }
      guard header.payload == 5 else { throw HTTP2ConnectionError(.frameSizeError, "PRIORITY hasn't its length") }
      try futile.add(now)
      return nil
    // 4.1: frames of unknown types are ignored.
    default:
      try futile.add(now)
      return nil
    }
  }

  // MARK: data

  private mutating func beginData(_ header: HTTP2FrameHeader) throws(HTTP2ConnectionError) -> Event? {
    guard header.stream > 0 else { throw HTTP2ConnectionError(.protocolError, "data comes on no stream") }
    guard credit.receive(header.payload) else {
      throw HTTP2ConnectionError(.flowControlError, "more data comes than the connection's window allows")
    }
    let isPadded = header.has(HTTP2FrameHeader.Flag.padded)
    guard !isPadded || header.payload > 0 else { throw HTTP2ConnectionError(.frameSizeError, "a frame's padding has no length") }
    let endsStream = header.has(HTTP2FrameHeader.Flag.endStream)
    var frame = DataFrame(stream: nil, left: header.payload, padding: 0, needsPadding: isPadded, endsStream: endsStream)
    guard let stream = streams[header.stream] else {
      try checkClosed(header.stream)
      reading = .data(frame)
      return nil
    }
    guard case .body = stream.response else {
      reading = .data(frame)
      return fail(stream, .protocolError, HTTP2Machine.malformed("its body comes before its head"))
    }
    guard header.payload <= stream.window else {
      reading = .data(frame)
      return fail(stream, .flowControlError, HTTP2Machine.malformed("more of the body comes than was asked for"))
    }
    stream.window -= header.payload
    stream.uncredited += header.payload
    if header.payload == 0, !endsStream { try futile.add(now) }
    frame.stream = stream
    reading = .data(frame)
    return nil
  }

  private mutating func receiveData(_ current: DataFrame) throws(HTTP2ConnectionError) -> (Event?, isWaiting: Bool) {
    var frame = current
    if frame.needsPadding {
      guard let padding: UInt8 = unread.readInteger() else { return (nil, true) }
      frame.needsPadding = false
      frame.left -= 1
      // 6.1: "If the length of the padding is the length of the frame payload or greater", the connection is in error.
      guard Int(padding) <= frame.left else { throw HTTP2ConnectionError(.protocolError, "a frame's padding is longer than the frame") }
      frame.padding = Int(padding)
      frame.left -= Int(padding)
    }
    if frame.left > 0 {
      guard unread.readableBytes > 0, let bytes = unread.readSlice(length: min(frame.left, unread.readableBytes)) else {
        reading = .data(frame)
        return (nil, true)
      }
      frame.left -= bytes.readableBytes
      reading = .data(frame)
      guard let stream = frame.stream, stream.isOpen else { return (nil, false) }
      futile.progress()
      return (deliver(bytes, stream, &frame), false)
    }
    let skipped = min(frame.padding, unread.readableBytes)
    unread.moveReaderIndex(forwardBy: skipped)
    frame.padding -= skipped
    guard frame.padding == 0 else {
      reading = .data(frame)
      return (nil, true)
    }
    reading = .header
    guard frame.endsStream, let stream = frame.stream, stream.isOpen else { return (nil, false) }
    return (finishResponse(stream), false)
  }

  private mutating func deliver(_ bytes: ByteBuffer, _ stream: HTTP2Stream, _ frame: inout DataFrame) -> Event {
    if let left = stream.lengthLeft {
      guard left >= Int64(bytes.readableBytes) else {
        frame.stream = nil
        reading = .data(frame)
        return fail(stream, .protocolError, HTTP2Machine.malformed("its body is longer than its Content-Length says"))
      }
      stream.lengthLeft = left - Int64(bytes.readableBytes)
    }
    return .data(stream, bytes)
  }

  /// The server has ended the stream: checks that the body is complete, and closes the stream.
  private mutating func finishResponse(_ stream: HTTP2Stream) -> Event {
    if let left = stream.lengthLeft, left > 0 {
      return fail(
        stream, .protocolError,
        LoadError(.networkConnectionLost, .body, "the server ended the response \(left) bytes before the length it had announced"))
    }
    if stream.isTunnel, stream.sending != .ended, stream.pending.readableBytes == 0 {
      // The server's regular end of a tunnel is answered by END_STREAM (RFC 8441, 5).
      output.writeFrameHeader(0, HTTP2FrameHeader.Kind.data, HTTP2FrameHeader.Flag.endStream, stream.id)
      remove(stream)
    } else if stream.sending != .ended {
      // The response is complete before the request's body: the server doesn't need the rest of it, which won't be sent (8.1).
      reset(stream, .noError)
    } else {
      remove(stream)
    }
    return .ended(stream)
  }

  /// Resets a stream because the server has violated the protocol on it; the exchange fails with `error`.
  mutating func fail(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode, _ error: LoadError) -> Event {
    reset(stream, code)
    return .failed(stream, error)
  }

  /// Checks whether the server may send a frame on the stream `id`, which isn't open here.
  func checkClosed(_ id: Int32) throws(HTTP2ConnectionError) {
    guard !isIdle(id) else { throw HTTP2ConnectionError(.protocolError, "a frame comes on a stream that was never begun") }
    // After its END_STREAM the server must not send on the stream any more (5.1), unless the stream was reset by this side.
    guard closed.mayHear(id) else { throw HTTP2ConnectionError(.streamClosed, "a frame comes on a stream that it has ended") }
  }

  // MARK: field sections

  private mutating func receiveHeaders(_ header: HTTP2FrameHeader, _ payload: ByteBuffer) throws(HTTP2ConnectionError) -> Event? {
    guard header.stream > 0 else { throw HTTP2ConnectionError(.protocolError, "a head comes on no stream") }
    var block = payload
    var padding = 0
    if header.has(HTTP2FrameHeader.Flag.padded) {
      guard let length: UInt8 = block.readInteger() else { throw HTTP2ConnectionError(.frameSizeError, "a frame's padding has no length") }
      padding = Int(length)
    }
    if header.has(HTTP2FrameHeader.Flag.priority) {
      guard block.readSlice(length: 5) != nil else { throw HTTP2ConnectionError(.frameSizeError, "a frame is shorter than its flags say") }
    }
    guard padding <= block.readableBytes, let fragment = block.readSlice(length: block.readableBytes - padding) else {
      throw HTTP2ConnectionError(.protocolError, "a frame's padding is longer than the frame")
    }
    let endsStream = header.has(HTTP2FrameHeader.Flag.endStream)
    guard header.has(HTTP2FrameHeader.Flag.endHeaders) else {
      section = OpenSection(stream: header.stream, endsStream: endsStream, block: fragment)
      return nil
    }
    return try receiveSection(header.stream, endsStream, fragment)
  }

  /// The most frames of one field section, against floods of small CONTINUATION frames: more than the longest accepted section needs.
  private static let sectionFrameLimit = 64

  private mutating func receiveContinuation(_ header: HTTP2FrameHeader, _ payload: ByteBuffer) throws(HTTP2ConnectionError) -> Event? {
    guard var open = section else { throw HTTP2ConnectionError(.protocolError, "a field section goes on that hasn't begun") }
    section = nil
    open.frames += 1
    open.block.writeImmutableBuffer(payload)
    guard open.frames <= HTTP2Machine.sectionFrameLimit, open.block.readableBytes <= FieldSection.sizeLimit else {
      throw HTTP2ConnectionError(.enhanceYourCalm, "a field section has no end")
    }
    guard header.has(HTTP2FrameHeader.Flag.endHeaders) else {
      section = open
      return nil
    }
    return try receiveSection(open.stream, open.endsStream, open.block)
  }

  private mutating func receiveSection(_ id: Int32, _ endsStream: Bool, _ block: ByteBuffer) throws(HTTP2ConnectionError) -> Event? {
    var fields = FieldSection()
    do throws(HPACKDecoder.Corruption) {
      // A `Result`, as a typed error can't be thrown out of the closure that accesses the bytes.
      let outcome = block.withUnsafeReadableBytes { bytes in
        Result { () throws(HPACKDecoder.Corruption) in try decoder.decode(bytes, into: &fields) }
      }
      try outcome.get()
    } catch {
      throw HTTP2ConnectionError(.compressionError, "a field section can't be decompressed")
    }
    guard let stream = streams[id] else {
      try checkClosed(id)
      try futile.add(now)
      return nil
    }
    if let flaw = fields.flaw { return fail(stream, .protocolError, HTTP2Machine.malformed(flaw.explanation)) }
    switch stream.response {
    case .awaitingHead: return try receiveHead(stream, endsStream, fields, block.readableBytes)
    case .body:
      // 8.1: trailers end the stream and have no pseudo-header fields.
      guard endsStream, fields.status == nil else {
        return fail(stream, .protocolError, HTTP2Machine.malformed("a second head follows the first"))
      }
      stream.trailers = TrailerRules.kept(fields.fields)
      return finishResponse(stream)
    }
  }

  private mutating func receiveHead(
    _ stream: HTTP2Stream, _ endsStream: Bool, _ fields: FieldSection, _ length: Int
  ) throws(HTTP2ConnectionError) -> Event {
    guard let status = fields.status else { return fail(stream, .protocolError, HTTP2Machine.malformed("it has no status")) }
    let head = ResponseHead(status: status, version: "HTTP/2", headers: HeaderFields(fields.fields))
    if head.isInformational {
      // HTTP/2 has no 101 (8.6), and an informational response can't end the stream (8.1).
      guard status != 101, !endsStream else {
        return fail(stream, .protocolError, HTTP2Machine.malformed("an informational response stands where the final one must"))
      }
      // Several informational responses are allowed, but they count as futile frames, which are limited.
      try futile.add(now)
      return .informational(stream, head)
    }
    let framing: ResponseBodyFraming
    do throws(LoadError) {
      framing = try ResponseBodyRules.framing(method: stream.method, head: head)
    } catch {
      return fail(stream, .protocolError, error)
    }
    stream.lengthLeft = framing.promisedLength(isTunnel: stream.isTunnel, status: status)
    futile.progress()
    stream.response = .body
    if endsStream { ending = stream }
    return .head(stream, head, framing, length: length)
  }
}
