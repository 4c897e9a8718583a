import NIOCore

/// A frame header (RFC 9113, 4.1), and the numbers of frame types and flags.
struct HTTP2FrameHeader {
  static let length = 9
  /// The most bytes of a frame's payload that this client accepts: the protocol's default, which it doesn't raise by SETTINGS_MAX_FRAME_SIZE (6.5.2).
  static let payloadLimit = 16384

  var payload: Int
  var type: UInt8
  var flags: UInt8
  var stream: Int32

  func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

  enum Kind {
    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let priority: UInt8 = 2
    static let resetStream: UInt8 = 3
    static let settings: UInt8 = 4
    static let pushPromise: UInt8 = 5
    static let ping: UInt8 = 6
    static let goAway: UInt8 = 7
    static let windowUpdate: UInt8 = 8
    static let continuation: UInt8 = 9
    /// ALTSVC (RFC 7838, 4): announces alternative services.
    static let alternatives: UInt8 = 10
    /// PRIORITY_UPDATE (RFC 9218, 7.1).
    static let priorityUpdate: UInt8 = 16
  }

  enum Flag {
    static let ack: UInt8 = 0x1
    static let endStream: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
    static let padded: UInt8 = 0x8
    static let priority: UInt8 = 0x20
  }
}

extension ByteBuffer {
  mutating func readFrameHeader() -> HTTP2FrameHeader? {
    guard readableBytes >= HTTP2FrameHeader.length else { return nil }
    let header = withUnsafeReadableBytes { bytes in
      HTTP2FrameHeader(
        payload: Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2]), type: bytes[3], flags: bytes[4],
        // The highest bit of the stream id is reserved and ignored (RFC 9113, 4.1).
        stream: Int32(bytes[5] & 0x7F) << 24 | Int32(bytes[6]) << 16 | Int32(bytes[7]) << 8 | Int32(bytes[8]))
    }
    moveReaderIndex(forwardBy: HTTP2FrameHeader.length)
    return header
  }

  mutating func writeFrameHeader(_ payload: Int, _ type: UInt8, _ flags: UInt8 = 0, _ stream: Int32 = 0) {
    writeWithUnsafeMutableBytes(minimumWritableBytes: HTTP2FrameHeader.length) { room in
      ByteBuffer.store(HTTP2FrameHeader(payload: payload, type: type, flags: flags, stream: stream), room)
      return HTTP2FrameHeader.length
    }
  }

  /// Overwrites the frame header at `index`, for which space was reserved.
  mutating func setFrameHeader(_ header: HTTP2FrameHeader, at index: Int) {
    let offset = index - readerIndex
    withUnsafeMutableReadableBytes { ByteBuffer.store(header, UnsafeMutableRawBufferPointer(rebasing: $0[offset...])) }
  }

  private static func store(_ header: HTTP2FrameHeader, _ room: UnsafeMutableRawBufferPointer) {
    room[0] = UInt8(truncatingIfNeeded: header.payload >> 16)
    room[1] = UInt8(truncatingIfNeeded: header.payload >> 8)
    room[2] = UInt8(truncatingIfNeeded: header.payload)
    room[3] = header.type
    room[4] = header.flags
    room[5] = UInt8(truncatingIfNeeded: header.stream >> 24)
    room[6] = UInt8(truncatingIfNeeded: header.stream >> 16)
    room[7] = UInt8(truncatingIfNeeded: header.stream >> 8)
    room[8] = UInt8(truncatingIfNeeded: header.stream)
  }

  mutating func writeResetStream(_ stream: Int32, _ code: HTTP2ErrorCode) {
    writeFrameHeader(4, HTTP2FrameHeader.Kind.resetStream, 0, stream)
    writeInteger(code.rawValue)
  }

  mutating func writeWindowUpdate(_ stream: Int32, _ increment: Int) {
    writeFrameHeader(4, HTTP2FrameHeader.Kind.windowUpdate, 0, stream)
    writeInteger(UInt32(truncatingIfNeeded: increment))
  }

  /// - Parameter value: In the syntax of the header field `priority`, such as "u=1, i".
  mutating func writePriorityUpdate(_ stream: Int32, _ value: String) {
    writeFrameHeader(4 + value.utf8.count, HTTP2FrameHeader.Kind.priorityUpdate)
    writeInteger(stream)
    writeString(value)
  }

  mutating func writePing(_ data: UInt64, flags: UInt8 = 0) {
    writeFrameHeader(8, HTTP2FrameHeader.Kind.ping, flags)
    writeInteger(data)
  }

  mutating func writeGoAway(_ code: HTTP2ErrorCode) {
    writeFrameHeader(8, HTTP2FrameHeader.Kind.goAway)
    // The last stream of the server that was processed: servers open no streams here, as push is disabled.
    writeInteger(UInt32(0))
    writeInteger(code.rawValue)
  }

  mutating func writeSettings(_ settings: [(HTTP2Setting, UInt32)]) {
    writeFrameHeader(settings.count * 6, HTTP2FrameHeader.Kind.settings)
    for (setting, value) in settings {
      writeInteger(setting.rawValue)
      writeInteger(value)
    }
  }
}

/// Names of settings (RFC 9113, 6.5.2; RFC 8441, 3; RFC 9218, 2.1).
struct HTTP2Setting: RawRepresentable, Hashable {
  let rawValue: UInt16

  static let headerTableSize = HTTP2Setting(rawValue: 1)
  static let enablePush = HTTP2Setting(rawValue: 2)
  static let maximumConcurrentStreams = HTTP2Setting(rawValue: 3)
  static let initialWindowSize = HTTP2Setting(rawValue: 4)
  static let maximumFrameSize = HTTP2Setting(rawValue: 5)
  static let maximumHeaderListSize = HTTP2Setting(rawValue: 6)
  static let enableConnectProtocol = HTTP2Setting(rawValue: 8)
  static let noOldPriorities = HTTP2Setting(rawValue: 9)
}
