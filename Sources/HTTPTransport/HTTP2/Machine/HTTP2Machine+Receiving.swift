import LoadingModel
import NIOCore
import ProtocolRules

// What comes in: frames (RFC 9113, 4), data (6.1) and field sections (6.2, 6.10).
extension HTTP2Machine {
  mutating func append(_ bytes: ByteBuffer) {
    guard unread.readableBytes > 0 else {
      unread = bytes
      return
    }
    // The rest of a read: a frame that has begun, at most. What has been read is released with the old storage.
    var joined = ByteBufferAllocator().buffer(capacity: unread.readableBytes + bytes.readableBytes)
    joined.writeImmutableBuffer(unread)
    joined.writeImmutableBuffer(bytes)
    unread = joined
  }

  /// The next event in what has arrived; nil if more must come.
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

  /// What has been read to its end needs no storage.
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
    // 8.4: this client has said that it takes none.
    case HTTP2FrameHeader.Kind.pushPromise: throw HTTP2ConnectionError(.protocolError, "it pushes, although it was told not to")
    case HTTP2FrameHeader.Kind.priority:
      // 6.3: the frame belongs to a stream and has five octets. 5.3.2: what it says has no effect.
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

  /// The response has been read to its end.
  private mutating func finishResponse(_ stream: HTTP2Stream) -> Event {
    if let left = stream.lengthLeft, left > 0 {
      return fail(
        stream, .protocolError,
        LoadError(.networkConnectionLost, .body, "the server ended the response \(left) bytes before the length it had announced"))
    }
    if stream.isTunnel, stream.sending != .ended, stream.pending.readableBytes == 0 {
      // RFC 8441, 5: an orderly end is answered by one.
      output.writeFrameHeader(0, HTTP2FrameHeader.Kind.data, HTTP2FrameHeader.Flag.endStream, stream.id)
      remove(stream)
    } else if stream.sending != .ended {
      // 8.1: the server needs no more of the request, and the load won't send it.
      reset(stream, .noError)
    } else {
      remove(stream)
    }
    return .ended(stream)
  }

  /// Ends a stream for a fault in it.
  mutating func fail(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode, _ error: LoadError) -> Event {
    reset(stream, code)
    return .failed(stream, error)
  }

  /// A frame has come on a stream that isn't open.
  func checkClosed(_ id: Int32) throws(HTTP2ConnectionError) {
    guard !isIdle(id) else { throw HTTP2ConnectionError(.protocolError, "a frame comes on a stream that was never begun") }
    // 5.1: after END_STREAM, nothing may follow.
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

  /// Frames of one field section; as many as the longest that is accepted needs, and some.
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
      // A typed throw can't leave the closure that lends the bytes.
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
      // 8.6: 101 doesn't exist here. 8.1: an informational response can't be all there is.
      guard status != 101, !endsStream else {
        return fail(stream, .protocolError, HTTP2Machine.malformed("an informational response stands where the final one must"))
      }
      // There may be several, but not without end.
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
