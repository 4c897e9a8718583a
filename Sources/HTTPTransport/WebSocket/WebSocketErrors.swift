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

// Some of a WebSocket's errors are the system's, as Apple's are, rather than those of URL loading.

extension LoadError {
  /// The WebSocket is closed, or about to be: `ENOTCONN`.
  static var notConnected: LoadError {
    posix(ENOTCONN, "the WebSocket is closed; closeCode says why")
  }

  /// Whether it says that the WebSocket was closed as it should be.
  package var isOfClosedWebSocket: Bool {
    guard let error = foreign?.error as? NSError else { return false }
    return error.domain == NSPOSIXErrorDomain && error.code == Int(ENOTCONN)
  }

  static func posix(_ code: Int32, _ message: String) -> LoadError {
    LoadError(foreign: NSError(domain: NSPOSIXErrorDomain, code: Int(code), userInfo: [NSLocalizedDescriptionKey: message]))
  }
}

extension WebSocketViolation {
  /// What the task fails with.
  var error: LoadError {
    let text = "the server \(message)"
    switch code {
    case .messageTooBig: return .posix(EMSGSIZE, text)
    case .protocolError, .invalidPayload: return LoadError(.badServerResponse, .body, text)
    }
  }
}
