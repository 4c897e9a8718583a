#if TestKit
  import Foundation
  import NIOCore
  import NIOEmbedded
  import NIOWebSocket
  import ProtocolRules

  extension WebSocketService {
    /// A frame of the WebSocket protocol, valid or invalid, that a test server sends or has received from the client.
    public struct Frame: Sendable, Hashable {
      /// The frame types of RFC 6455.
      public enum Opcode: UInt8, Sendable {
        /// A further fragment of a message.
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

      /// The first byte of the frame: the bits FIN and RSV1 to RSV3, and the opcode.
      public var firstByte: UInt8
      /// Whether the received frame was masked. For a frame to send: whether the server masks it, which the protocol forbids.
      public var isMasked = false
      /// The payload, unmasked.
      public var payload: Data

      /// A frame with this first byte, valid or not.
      public init(firstByte: UInt8, payload: Data = Data(), isMasked: Bool = false) {
        self.firstByte = firstByte
        self.payload = payload
        self.isMasked = isMasked
      }

      /// A frame of this type; the final fragment by default.
      public init(_ opcode: Opcode, _ payload: Data = Data(), isFinal: Bool = true) {
        self.init(firstByte: (isFinal ? 0x80 : 0) | opcode.rawValue, payload: payload)
      }

      /// A text message, or its first fragment if `isFinal` is false.
      public static func text(_ text: String, isFinal: Bool = true) -> Frame {
        Frame(.text, Data(text.utf8), isFinal: isFinal)
      }

      /// A binary message, or its first fragment if `isFinal` is false.
      public static func binary(_ payload: Data, isFinal: Bool = true) -> Frame {
        Frame(.binary, payload, isFinal: isFinal)
      }

      /// A further fragment of a text message; the last one if `isFinal`.
      public static func continuation(_ text: String, isFinal: Bool = true) -> Frame {
        Frame(.continuation, Data(text.utf8), isFinal: isFinal)
      }

      /// A close frame with this code and reason; with neither of them if `code` is nil.
      public static func close(_ code: UInt16?, _ reason: String = "") -> Frame {
        guard let code else { return Frame(.close) }
        return Frame(.close, Data([UInt8(code >> 8), UInt8(code & 0xFF)]) + Data(reason.utf8))
      }

      /// The frame's type; nil if the opcode isn't defined.
      public var opcode: Opcode? { Opcode(rawValue: firstByte & 0x0F) }

      /// Whether the frame is the final or only fragment of its message (the bit FIN).
      public var isFinal: Bool { firstByte & 0x80 != 0 }

      /// The payload as UTF-8, with invalid sequences replaced.
      public var text: String { String(decoding: payload, as: UTF8.self) }

      /// The status code in a close frame; nil if there is none.
      public var closeCode: UInt16? {
        opcode == .close && payload.count >= 2 ? UInt16(payload[payload.startIndex]) << 8 | UInt16(payload[payload.startIndex + 1]) : nil
      }

      /// The encoded bytes of the frame, as NIOWebSocket writes them.
      public var bytes: Data {
        let channel = EmbeddedChannel(handler: WebSocketFrameEncoder())
        defer { _ = try? channel.finish() }
        var result = Data()
        // The channel is in memory, so that neither writing nor reading fails.
        _ = try? channel.writeOutbound(encodable)
        while let part = try? channel.readOutbound(as: ByteBuffer.self) { result.append(contentsOf: part.readableBytesView) }
        return result
      }

      private var encodable: NIOWebSocket.WebSocketFrame {
        NIOWebSocket.WebSocketFrame(
          fin: isFinal, rsv1: firstByte & 0x40 != 0, rsv2: firstByte & 0x20 != 0, rsv3: firstByte & 0x10 != 0,
          opcode: WebSocketOpcode(encodedWebSocketOpcode: firstByte & 0x0F) ?? .continuation,
          // Masking with a key of zeros leaves the payload unchanged.
          maskKey: isMasked ? [0, 0, 0, 0] : nil, data: ByteBuffer(bytes: payload))
      }

      /// A frame that NIOWebSocket has decoded.
      init(_ frame: NIOWebSocket.WebSocketFrame) {
        let bits: [(UInt8, Bool)] = [(0x80, frame.fin), (0x40, frame.rsv1), (0x20, frame.rsv2), (0x10, frame.rsv3)]
        self.init(
          firstByte: bits.reduce(UInt8(webSocketOpcode: frame.opcode)) { $1.1 ? $0 | $1.0 : $0 },
          payload: Frame.payload(of: frame), isMasked: frame.maskKey != nil)
      }

      /// Not by NIOWebSocket's `unmaskedData`, which goes byte by byte: large messages take seconds with a sanitizer, and clients that close give up.
      private static func payload(of frame: NIOWebSocket.WebSocketFrame) -> Data {
        var payload = Data(frame.data.readableBytesView)
        guard let mask = frame.maskKey.map(Array.init) else { return payload }
        let key = mask.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        frame.data.withUnsafeReadableBytes { source in
          payload.withUnsafeMutableBytes { WebSocketMask.copy(source, to: $0, key: key) }
        }
        return payload
      }
    }
  }
#endif
