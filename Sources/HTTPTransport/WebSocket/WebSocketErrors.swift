import Foundation
import LoadingModel
import ProtocolRules

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

// Errors of WebSocket tasks. Some are POSIX errors, as Apple's are, and not errors of URL loading.

extension LoadError {
  /// `ENOTCONN`: the WebSocket is closed or is closing.
  static var notConnected: LoadError {
    posix(ENOTCONN, "the WebSocket is closed; closeCode says why")
  }

  /// Whether this is the error of a call on a WebSocket that was closed regularly (`ENOTCONN`).
  package var isOfClosedWebSocket: Bool {
    guard let error = foreign?.error as? NSError else { return false }
    return error.domain == NSPOSIXErrorDomain && error.code == Int(ENOTCONN)
  }

  static func posix(_ code: Int32, _ message: String) -> LoadError {
    LoadError(foreign: NSError(domain: NSPOSIXErrorDomain, code: Int(code), userInfo: [NSLocalizedDescriptionKey: message]))
  }
}

extension WebSocketViolation {
  /// The error with which the task fails for the server's violation of the protocol.
  var error: LoadError {
    let text = "the server \(message)"
    switch code {
    case .messageTooBig: return .posix(EMSGSIZE, text)
    case .protocolError, .invalidPayload: return LoadError(.badServerResponse, .body, text)
    }
  }
}
