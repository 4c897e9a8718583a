/// A violation of RFC 6455 by the peer, and the close code for it (RFC 6455, 7.1.7).
package struct WebSocketViolation: Error, Sendable, Hashable {
  package enum Code: UInt16, Sendable {
    case protocolError = 1002
    case invalidPayload = 1007
    case messageTooBig = 1009
  }

  package let code: Code
  /// What the peer did, as the end of a sentence.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
