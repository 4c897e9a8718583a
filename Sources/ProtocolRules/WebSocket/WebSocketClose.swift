import Foundation

/// The content of a close frame (RFC 6455, 5.5.1 and 7.4).
package struct WebSocketClose: Sendable, Hashable {
  /// The status code; nil if the frame has none.
  package let code: UInt16?
  /// The reason as UTF-8.
  package let reason: [UInt8]

  /// The most bytes of a reason: those that a control frame has besides the code.
  package static let reasonLimit = WebSocketFrameHeader.controlLimit - 2

  /// Builds a frame from the app's values that may be sent. With a code that must not be sent (RFC 6455, 7.4.1) the frame is empty; a reason is
  /// cut to `reasonLimit` bytes at the end of a character, and left out if it isn't UTF-8.
  package init(code: Int, reason: Data?) {
    guard let code = UInt16(exactly: code), WebSocketClose.isForTheWire(code) else {
      (self.code, self.reason) = (nil, [])
      return
    }
    self.code = code
    var bytes = Array((reason ?? Data()).prefix(WebSocketClose.reasonLimit + 1))
    if bytes.count > WebSocketClose.reasonLimit {
      // Removes bytes back to the first one of the character that doesn't fit.
      while let last = bytes.popLast(), bytes.count > WebSocketClose.reasonLimit || last & 0xC0 == 0x80 {}
    }
    var validator = UTF8Validator()
    let isText = bytes.withUnsafeBytes { validator.accepts($0) } && validator.isAtBoundary
    self.reason = isText ? bytes : []
  }

  /// Parses the payload of a close frame from the peer.
  package init(payload: UnsafeRawBufferPointer) throws(WebSocketViolation) {
    guard payload.count > 0 else {
      (code, reason) = (nil, [])
      return
    }
    guard payload.count >= 2 else { throw WebSocketViolation(.protocolError, "sent a close frame with half a code") }
    let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
    guard WebSocketClose.isForTheWire(code) else {
      throw WebSocketViolation(.protocolError, "sent a close frame with the code \(code), which must not be sent")
    }
    var validator = UTF8Validator()
    let text = UnsafeRawBufferPointer(rebasing: payload[2...])
    guard validator.accepts(text), validator.isAtBoundary else {
      throw WebSocketViolation(.invalidPayload, "sent a close frame whose reason isn't UTF-8")
    }
    self.code = code
    reason = Array(text)
  }

  package init(_ violation: WebSocketViolation) {
    code = violation.code.rawValue
    reason = []
  }

  /// The frame's payload: the code in two bytes, then the reason.
  package var payload: [UInt8] {
    guard let code else { return [] }
    return [UInt8(code >> 8), UInt8(code & 0xFF)] + reason
  }

  /// Whether a close frame may have this code (RFC 6455, 7.4.1 and IANA's registry): 3000–3999 are for libraries, 4000–4999 for applications
  /// (7.4.2).
  package static func isForTheWire(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
