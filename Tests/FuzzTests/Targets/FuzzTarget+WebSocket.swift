import Foundation
@testable import LoadingModel
import NIOCore

@testable import HTTPTransport
@testable import ProtocolRules

extension FuzzTarget {
  private static let limit = 64 * 1024

  static let websocket = [
    // Messages are within their limit, however they come.
    FuzzTarget(
      "websocket", seeds: ["\u{1}\u{1}\u{81}\u{5}hello"],
      binary: [
        [0, 9, 0x81, 5] + Array("hello".utf8) + [0x89, 0, 0x88, 2, 3, 0xE8],
        [1, 3, 0xC1, 7, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x01, 1, 0x61, 0x80, 1, 0x62],
        [1, 1, 0xC2, 0x7E, 0, 5, 1, 2, 3, 4, 5], [0, 1, 0x82, 0x7F, 0, 0, 0, 0, 0, 0, 0, 1, 9],
      ]
    ) { bytes in
      var input = FuzzInput(bytes)
      let compression = input.bit() ? WebSocketCompression() : nil
      var reader = WebSocketReader(maximumMessageSize: limit, compression: compression)
      for piece in input.pieces() {
        reader.append(ByteBuffer(bytes: piece))
        do {
          while let event = try reader.next() {
            if case .message(let message) = event { expect(message.bytes.readableBytes <= limit, "\(message.bytes.readableBytes) bytes") }
          }
        } catch { return }
      }
    },
    FuzzTarget("utf8", seeds: ["aä€😀"], binary: [[0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0xAF], [0xE2, 0x82]]) { bytes in
      var input = FuzzInput(bytes)
      let pieces = input.pieces()
      var validator = UTF8Validator()
      let isAccepted = pieces.allSatisfy { Array($0).withUnsafeBytes { validator.accepts($0) } } && validator.isAtBoundary
      expect(isAccepted == (String(validating: pieces.flatMap { $0 }, as: UTF8.self) != nil), "the standard library says otherwise")
    },
    FuzzTarget("websocket-answer", seeds: ["permessage-deflate; server_max_window_bits=10\0chat", "x, permessage-deflate;a=\"\0"]) {
      bytes in
      var input = FuzzInput(bytes)
      let texts = input.texts(atMost: 2) + ["", ""]
      let handshake = WebSocketHandshake(nonce: Array(repeating: 1, count: 16), protocols: ["chat", "b"], offersCompression: true)
      let fields = HeaderFields([
        ("Upgrade", "websocket"), ("Connection", "Upgrade"),
        ("Sec-WebSocket-Accept", WebSocketHandshake.accept(for: "AQEBAQEBAQEBAQEBAQEBAQ==")),
        ("Sec-WebSocket-Extensions", texts[0]), ("Sec-WebSocket-Protocol", texts[1]),
      ])
      _ = try? handshake.agreement(ResponseHead(status: 101, headers: fields))
    },
  ]
}
