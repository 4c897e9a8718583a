#if HTTP3
  /// An error code with which a stream or a connection was ended (RFC 9114, 8.1; RFC 9204, 6).
  struct HTTP3ErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    let rawValue: UInt64

    static let noError = HTTP3ErrorCode(rawValue: 0x100)
    static let excessiveLoad = HTTP3ErrorCode(rawValue: 0x107)
    static let requestRejected = HTTP3ErrorCode(rawValue: 0x10b)
    static let requestCancelled = HTTP3ErrorCode(rawValue: 0x10c)
    static let messageError = HTTP3ErrorCode(rawValue: 0x10e)
    static let versionFallback = HTTP3ErrorCode(rawValue: 0x110)

    private static let names: [UInt64: String] = [
      0x100: "H3_NO_ERROR", 0x101: "H3_GENERAL_PROTOCOL_ERROR", 0x102: "H3_INTERNAL_ERROR", 0x103: "H3_STREAM_CREATION_ERROR",
      0x104: "H3_CLOSED_CRITICAL_STREAM", 0x105: "H3_FRAME_UNEXPECTED", 0x106: "H3_FRAME_ERROR", 0x107: "H3_EXCESSIVE_LOAD",
      0x108: "H3_ID_ERROR", 0x109: "H3_SETTINGS_ERROR", 0x10a: "H3_MISSING_SETTINGS", 0x10b: "H3_REQUEST_REJECTED",
      0x10c: "H3_REQUEST_CANCELLED", 0x10d: "H3_REQUEST_INCOMPLETE", 0x10e: "H3_MESSAGE_ERROR", 0x10f: "H3_CONNECT_ERROR",
      0x110: "H3_VERSION_FALLBACK", 0x200: "QPACK_DECOMPRESSION_FAILED", 0x201: "QPACK_ENCODER_STREAM_ERROR",
      0x202: "QPACK_DECODER_STREAM_ERROR",
    ]

    var description: String { HTTP3ErrorCode.names[rawValue] ?? "error 0x\(String(rawValue, radix: 16))" }
  }
#endif
