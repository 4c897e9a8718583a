import Foundation
import NIOCore
import ProtocolRules

/// A complete message that has been received.
package struct WebSocketMessage: Sendable {
  package enum Kind: Sendable {
    /// The bytes are valid UTF-8.
    case text
    case binary
  }

  package let kind: Kind
  package let bytes: ByteBuffer
}

/// A message to be sent.
package enum WebSocketContent: Sendable {
  case text(String)
  case binary(Data)

  var opcode: WebSocketFrameHeader.Opcode {
    switch self {
    case .text: .text
    case .binary: .binary
    }
  }

  /// Length of the payload in bytes.
  var count: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .binary(let data): data.count
    }
  }

  /// The message as a `ContentObserver` is given it.
  var observed: ObservedMessage {
    ObservedMessage(isSent: true, isText: opcode == .text, bytes: withBytes { ByteBuffer(bytes: $0) })
  }

  /// The payload's bytes, without a copy where the content lies in one piece.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    switch self {
    case .text(var text): text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    case .binary(let data): data.withUnsafeBytes { body($0) }
    }
  }
}
