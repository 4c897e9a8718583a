/// The header of one frame (RFC 6455, 5.2).
///
///     FIN RSV1 RSV2 RSV3 opcode(4) | MASK length(7) | length(16 or 64) | masking key(32) | payload
package struct WebSocketFrameHeader: Sendable, Hashable {
  package enum Opcode: UInt8, Sendable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    /// Whether it is a control frame, which may come between the fragments of a message (RFC 6455, 5.5).
    package var isControl: Bool { rawValue >= 8 }
  }

  /// The most bytes of a control frame's payload (RFC 6455, 5.5).
  package static let controlLimit = 125
  /// The most bytes of a header that a client sends.
  package static let longest = 14

  package var opcode: Opcode
  /// FIN: whether this is the last fragment of a message, or the only one.
  package var isFinal: Bool
  /// RSV1, which a message's first frame may have: the message is compressed (RFC 7692, 6).
  package var isCompressed: Bool
  package var length: Int

  package init(_ opcode: Opcode, isFinal: Bool = true, isCompressed: Bool = false, length: Int) {
    self.opcode = opcode
    self.isFinal = isFinal
    self.isCompressed = isCompressed
    self.length = length
  }
}

extension WebSocketFrameHeader {
  /// Parses a header from a server; nil if it isn't complete yet. An error in its first byte or two is found without the bytes after them.
  ///
  /// - Parameter permitsCompression: Whether permessage-deflate has been agreed on.
  /// - Returns: The header and its length in bytes.
  package static func parse(
    _ bytes: UnsafeRawBufferPointer, permitsCompression: Bool
  ) throws(WebSocketViolation) -> (header: WebSocketFrameHeader, size: Int)? {
    guard bytes.count >= 2 else {
      if let first = bytes.first { _ = try flags(first, permitsCompression) }
      return nil
    }
    var header = try flags(bytes[0], permitsCompression)
    // RFC 6455, 5.1: "A client MUST close a connection if it detects a masked frame."
    guard bytes[1] & 0x80 == 0 else { throw WebSocketViolation(.protocolError, "sent a masked frame") }
    let short = Int(bytes[1] & 0x7F)
    if header.opcode.isControl, short > controlLimit {
      throw WebSocketViolation(.protocolError, "sent a control frame of more than \(controlLimit) bytes")
    }
    let width = short == 126 ? 2 : short == 127 ? 8 : 0
    guard width > 0 else {
      header.length = short
      return (header, 2)
    }
    guard bytes.count >= 2 + width else { return nil }
    let length = bytes[2..<(2 + width)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    // RFC 6455, 5.2: "the most significant bit MUST be 0", and "the minimal number of bytes MUST be used to encode the length".
    guard length <= UInt64(Int.max), length > (width == 2 ? 125 : 0xFFFF) else {
      throw WebSocketViolation(.protocolError, "sent a frame whose length isn't encoded as it must be")
    }
    header.length = Int(length)
    return (header, 2 + width)
  }

  private static func flags(_ byte: UInt8, _ permitsCompression: Bool) throws(WebSocketViolation) -> WebSocketFrameHeader {
    guard let opcode = Opcode(rawValue: byte & 0x0F) else {
      throw WebSocketViolation(.protocolError, "sent a frame of unknown kind (opcode \(byte & 0x0F))")
    }
    let (isFinal, isCompressed) = (byte & 0x80 != 0, byte & 0x40 != 0)
    // RFC 6455, 5.2: reserved bits "MUST be 0 unless an extension is negotiated that defines meanings"; RFC 7692, 6 defines RSV1 of first
    // fragments.
    let mayCompress = permitsCompression && (opcode == .text || opcode == .binary)
    guard byte & 0x30 == 0, !isCompressed || mayCompress else {
      throw WebSocketViolation(.protocolError, "sent a frame with reserved bits that weren't negotiated")
    }
    // RFC 6455, 5.5: control frames "MUST NOT be fragmented".
    guard isFinal || !opcode.isControl else { throw WebSocketViolation(.protocolError, "sent a control frame in fragments") }
    return WebSocketFrameHeader(opcode, isFinal: isFinal, isCompressed: isCompressed, length: 0)
  }

  /// Writes the header of a client's frame, which is always masked (RFC 6455, 5.1).
  ///
  /// - Parameters:
  ///   - key: The masking key; its bytes in memory are those on the wire.
  ///   - target: Room for `longest` bytes.
  /// - Returns: The number of bytes written.
  package func write(key: UInt32, to target: UnsafeMutableRawBufferPointer) -> Int {
    target[0] = (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue
    var size = 2
    switch length {
    case ...125: target[1] = 0x80 | UInt8(length)
    case ...0xFFFF:
      target[1] = 0x80 | 126
      target.storeBytes(of: UInt16(length).bigEndian, toByteOffset: 2, as: UInt16.self)
      size = 4
    default:
      target[1] = 0x80 | 127
      target.storeBytes(of: UInt64(length).bigEndian, toByteOffset: 2, as: UInt64.self)
      size = 10
    }
    target.storeBytes(of: key, toByteOffset: size, as: UInt32.self)
    return size + 4
  }
}
