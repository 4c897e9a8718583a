import LoadingModel
import NIOCore

// Receiving frames other than DATA and field sections (RFC 9113, 6.4 to 6.9).
extension HTTP2Machine {
  mutating func receiveReset(_ header: HTTP2FrameHeader, _ payload: ByteBuffer) throws(HTTP2ConnectionError) -> Event? {
    var payload = payload
    guard payload.readableBytes == 4, let number: UInt32 = payload.readInteger() else {
      throw HTTP2ConnectionError(.frameSizeError, "RST_STREAM hasn't its length")
    }
    guard header.stream > 0, !isIdle(header.stream) else {
      throw HTTP2ConnectionError(.protocolError, "it resets a stream that was never begun")
    }
    guard let stream = streams[header.stream] else {
      // The stream is closed already: the server may have reset it before it received the frame that closed it here.
      try futile.add(now)
      return nil
    }
    remove(stream)
    closed.noteReset(stream.id)
    let code = HTTP2ErrorCode(rawValue: number)
    // 8.1: "Clients MUST NOT discard responses as a result of receiving such a RST_STREAM": after NO_ERROR a body that has its Content-Length is
    // complete.
    if code == .noError, case .body = stream.response, stream.lengthLeft == 0 { return .ended(stream) }
    return .failed(stream, stream.error(of: code))
  }

  /// Receives ALTSVC (RFC 7838, 4): on stream 0 it names an origin, on another stream it is about the request's origin and names none. Invalid frames
  /// are ignored.
  mutating func receiveAlternatives(_ header: HTTP2FrameHeader, _ payload: ByteBuffer) throws(HTTP2ConnectionError) -> Event? {
    try futile.add(now)
    var payload = payload
    guard let length: UInt16 = payload.readInteger(), let origin = payload.readString(length: Int(length)) else { return nil }
    let value = payload.readString(length: payload.readableBytes) ?? ""
    guard header.stream > 0 else { return origin.isEmpty ? nil : .alternatives(value, nil, named: origin) }
    guard origin.isEmpty, let stream = streams[header.stream] else { return nil }
    return .alternatives(value, stream, named: "")
  }

  // MARK: settings

  mutating func receiveSettings(_ header: HTTP2FrameHeader, _ payload: ByteBuffer) throws(HTTP2ConnectionError) -> Event? {
    guard header.stream == 0 else { throw HTTP2ConnectionError(.protocolError, "settings come on a stream") }
    try futile.add(now)
    if header.has(HTTP2FrameHeader.Flag.ack) {
      guard header.payload == 0 else { throw HTTP2ConnectionError(.frameSizeError, "an acknowledgement of settings isn't empty") }
      credit.settingsAcknowledged(now)
      return nil
    }
    guard header.payload % 6 == 0 else { throw HTTP2ConnectionError(.frameSizeError, "SETTINGS hasn't its length") }
    var payload = payload
    while let name: UInt16 = payload.readInteger(), let value: UInt32 = payload.readInteger() {
      let setting = HTTP2Setting(rawValue: name)
      if setting == .headerTableSize { encoder.allow(tableSize: Int(value)) }
      let change = try peer.apply(setting, value)
      if change != 0 { try moveWindows(by: change) }
    }
    peer.hasCome = true
    output.writeFrameHeader(0, HTTP2FrameHeader.Kind.settings, HTTP2FrameHeader.Flag.ack)
    return .settings
  }

  /// 6.9.2: the windows of open streams move with the initial one, below zero perhaps.
  private mutating func moveWindows(by change: Int) throws(HTTP2ConnectionError) {
    for stream in streams.streams {
      stream.sendWindow += change
      guard stream.sendWindow <= PeerSettings.largestWindow else {
        throw HTTP2ConnectionError(.flowControlError, "a stream's window is too large")
      }
      line.unblock(stream)
    }
  }

  // MARK: PING, GOAWAY and WINDOW_UPDATE

  mutating func receivePing(_ header: HTTP2FrameHeader, _ payload: ByteBuffer) throws(HTTP2ConnectionError) -> Event? {
    guard header.stream == 0 else { throw HTTP2ConnectionError(.protocolError, "a ping comes on a stream") }
    var payload = payload
    guard payload.readableBytes == 8, let data: UInt64 = payload.readInteger() else {
      throw HTTP2ConnectionError(.frameSizeError, "PING hasn't its length")
    }
    try futile.add(now)
    if header.has(HTTP2FrameHeader.Flag.ack) { return .pong }
    output.writePing(data, flags: HTTP2FrameHeader.Flag.ack)
    return nil
  }

  mutating func receiveGoAway(_ header: HTTP2FrameHeader, _ payload: ByteBuffer) throws(HTTP2ConnectionError) -> Event? {
    guard header.stream == 0 else { throw HTTP2ConnectionError(.protocolError, "GOAWAY comes on a stream") }
    var payload = payload
    guard let last: UInt32 = payload.readInteger(), payload.readableBytes >= 4 else {
      throw HTTP2ConnectionError(.frameSizeError, "GOAWAY hasn't its length")
    }
    try futile.add(now)
    let id = Int32(last & 0x7FFF_FFFF)
    // A second GOAWAY must not name a higher stream (6.8): "Endpoints MUST NOT increase the value they send".
    if let lastServed, id > lastServed { throw HTTP2ConnectionError(.protocolError, "it goes away and comes back") }
    lastServed = id
    let refused = streams.removeAbove(id)
    for stream in refused {
      stream.isOpen = false
      stream.pending = ByteBuffer()
      closed.noteReset(stream.id)
      credit.ended(stream)
    }
    return .goingAway(refused: refused)
  }

  mutating func receiveWindowUpdate(_ header: HTTP2FrameHeader, _ payload: ByteBuffer) throws(HTTP2ConnectionError) -> Event? {
    var payload = payload
    guard payload.readableBytes == 4, let raw: UInt32 = payload.readInteger() else {
      throw HTTP2ConnectionError(.frameSizeError, "WINDOW_UPDATE hasn't its length")
    }
    try futile.add(now)
    let increment = Int(raw & 0x7FFF_FFFF)
    guard header.stream > 0 else {
      try line.widen(by: increment)
      return nil
    }
    guard let stream = streams[header.stream] else {
      guard !isIdle(header.stream) else { throw HTTP2ConnectionError(.protocolError, "a frame comes on a stream that was never begun") }
      return nil
    }
    guard increment > 0 else { return fail(stream, .protocolError, HTTP2Machine.malformed("it widens a window by nothing")) }
    stream.sendWindow += increment
    guard stream.sendWindow <= PeerSettings.largestWindow else {
      return fail(stream, .flowControlError, HTTP2Machine.malformed("a stream's window is too large"))
    }
    line.unblock(stream)
    return nil
  }
}
