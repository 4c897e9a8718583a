import Foundation
import NIOCore

/// A frame of the WebSocket protocol, right or wrong: as a test server sends it, and as it came from the client, unmasked.
public struct WebSocketFrame: Sendable, Hashable {
  /// The kinds that RFC 6455 knows.
  public enum Opcode: UInt8, Sendable {
    /// A further fragment.
    case continuation = 0
    /// A text message, or its first fragment.
    case text = 1
    /// A binary message, or its first fragment.
    case binary = 2
    /// A close frame (RFC 6455, 5.5.1).
    case close = 8
    /// A ping (5.5.2).
    case ping = 9
    /// A pong (5.5.3).
    case pong = 10
  }

  /// FIN, RSV1 to RSV3 and the opcode.
  public var firstByte: UInt8
  /// Whether a client's frame was masked, or the server is to mask this one, which is against the rules.
  public var isMasked = false
  /// The payload, unmasked.
  public var payload: Data

  /// A frame with these bits, legal or not.
  public init(firstByte: UInt8, payload: Data = Data(), isMasked: Bool = false) {
    self.firstByte = firstByte
    self.payload = payload
    self.isMasked = isMasked
  }

  /// A frame of this kind; the last fragment unless said otherwise.
  public init(_ opcode: Opcode, _ payload: Data = Data(), isFinal: Bool = true) {
    self.init(firstByte: (isFinal ? 0x80 : 0) | opcode.rawValue, payload: payload)
  }

  /// A whole text message, or a fragment of one.
  public static func text(_ text: String, isFinal: Bool = true) -> WebSocketFrame {
    WebSocketFrame(.text, Data(text.utf8), isFinal: isFinal)
  }

  /// A whole binary message, or a fragment of one.
  public static func binary(_ payload: Data, isFinal: Bool = true) -> WebSocketFrame {
    WebSocketFrame(.binary, payload, isFinal: isFinal)
  }

  /// A further fragment.
  public static func continuation(_ text: String, isFinal: Bool = true) -> WebSocketFrame {
    WebSocketFrame(.continuation, Data(text.utf8), isFinal: isFinal)
  }

  /// A close frame; nil sends none of both.
  public static func close(_ code: UInt16?, _ reason: String = "") -> WebSocketFrame {
    guard let code else { return WebSocketFrame(.close) }
    return WebSocketFrame(.close, Data([UInt8(code >> 8), UInt8(code & 0xFF)]) + Data(reason.utf8))
  }

  /// The kind; nil for one that isn't defined.
  public var opcode: Opcode? { Opcode(rawValue: firstByte & 0x0F) }

  /// Whether it is the last fragment, or the only one.
  public var isFinal: Bool { firstByte & 0x80 != 0 }

  /// The payload as UTF-8, with invalid sequences replaced.
  public var text: String { String(decoding: payload, as: UTF8.self) }

  /// The code in a close frame; nil if there is none.
  public var closeCode: UInt16? {
    opcode == .close && payload.count >= 2 ? UInt16(payload[payload.startIndex]) << 8 | UInt16(payload[payload.startIndex + 1]) : nil
  }

  /// The bytes of the frame on the wire.
  public var bytes: Data {
    var result = Data([firstByte])
    let mask: UInt8 = isMasked ? 0x80 : 0
    switch payload.count {
    case ...125: result.append(mask | UInt8(payload.count))
    case ...0xFFFF:
      result.append(mask | 126)
      result.append(contentsOf: (0..<2).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) })
    default:
      result.append(mask | 127)
      result.append(contentsOf: (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) })
    }
    // A key of zeros changes nothing.
    if isMasked { result.append(contentsOf: [0, 0, 0, 0]) }
    return result + payload
  }

  /// Takes one frame off the front of `buffer`; nil if there isn't a whole one.
  static func read(from buffer: inout ByteBuffer) -> WebSocketFrame? {
    let bytes = buffer.readableBytesView
    guard bytes.count >= 2 else { return nil }
    func byte(_ offset: Int) -> Int { Int(bytes[bytes.startIndex + offset]) }
    let short = byte(1) & 0x7F
    let width = short == 126 ? 2 : short == 127 ? 8 : 0
    let isMasked = byte(1) & 0x80 != 0
    let size = 2 + width + (isMasked ? 4 : 0)
    guard bytes.count >= size else { return nil }
    let length = width == 0 ? short : (2..<(2 + width)).reduce(0) { $0 << 8 | byte($1) }
    guard bytes.count - size >= length else { return nil }
    let first = UInt8(byte(0))
    let key = isMasked ? (0..<4).map { UInt8(byte(size - 4 + $0)) } : [0, 0, 0, 0]
    buffer.moveReaderIndex(forwardBy: size)
    var payload = buffer.readBytes(length: length) ?? []
    if isMasked { for index in payload.indices { payload[index] ^= key[index & 3] } }
    return WebSocketFrame(firstByte: first, payload: Data(payload), isMasked: isMasked)
  }
}
