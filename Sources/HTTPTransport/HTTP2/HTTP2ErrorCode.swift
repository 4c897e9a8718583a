/// An error code of RST_STREAM and GOAWAY frames (RFC 9113, 7).
struct HTTP2ErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  let rawValue: UInt32

  static let noError = HTTP2ErrorCode(rawValue: 0)
  static let protocolError = HTTP2ErrorCode(rawValue: 1)
  static let internalError = HTTP2ErrorCode(rawValue: 2)
  static let flowControlError = HTTP2ErrorCode(rawValue: 3)
  static let settingsTimeout = HTTP2ErrorCode(rawValue: 4)
  static let streamClosed = HTTP2ErrorCode(rawValue: 5)
  static let frameSizeError = HTTP2ErrorCode(rawValue: 6)
  static let refusedStream = HTTP2ErrorCode(rawValue: 7)
  static let cancel = HTTP2ErrorCode(rawValue: 8)
  static let compressionError = HTTP2ErrorCode(rawValue: 9)
  static let connectError = HTTP2ErrorCode(rawValue: 10)
  static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)
  static let inadequateSecurity = HTTP2ErrorCode(rawValue: 12)
  static let http11Required = HTTP2ErrorCode(rawValue: 13)

  private static let names = [
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR",
    "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
  ]

  var description: String {
    rawValue < UInt32(HTTP2ErrorCode.names.count) ? HTTP2ErrorCode.names[Int(rawValue)] : "error \(rawValue)"
  }
}

/// A connection error (RFC 9113, 5.4.1): the peer has violated the protocol, and the connection must be closed.
struct HTTP2ConnectionError: Error {
  let code: HTTP2ErrorCode
  /// The violation in words, as the `LoadError`'s message shows it behind the error code.
  let explanation: String

  init(_ code: HTTP2ErrorCode, _ explanation: String) {
    self.code = code
    self.explanation = explanation
  }
}
