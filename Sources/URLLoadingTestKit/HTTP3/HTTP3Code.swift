#if TestKit
  #if HTTP3
    import NIOHTTP2

    /// Error codes of HTTP/3 (RFC 9114, 8.1), and the translation of HTTP/2's into them.
    enum HTTP3Code {
      static let noError: UInt64 = 0x100
      static let generalProtocolError: UInt64 = 0x101
      static let internalError: UInt64 = 0x102
      static let excessiveLoad: UInt64 = 0x107
      static let requestRejected: UInt64 = 0x10B
      static let requestCancelled: UInt64 = 0x10C
      static let connectError: UInt64 = 0x10F
      static let versionFallback: UInt64 = 0x110

      /// The HTTP/3 error code for an error code of HTTP/2 (RFC 9114, appendix A.4). Codes from 0x100 on are already HTTP/3's and stay the same.
      static func translating(_ code: HTTP2ErrorCode) -> UInt64 {
        switch code {
        case .noError: noError
        case .internalError: internalError
        case .refusedStream: requestRejected
        case .cancel: requestCancelled
        case .connectError: connectError
        case .enhanceYourCalm: excessiveLoad
        case .http11Required: versionFallback
        default: code.networkCode >= 0x100 ? UInt64(code.networkCode) : generalProtocolError
        }
      }
    }
  #endif
#endif
