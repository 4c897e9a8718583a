import Foundation

extension URLSessionWebSocketTask {
  /// One whole WebSocket message, put together from all of its fragments.
  public enum Message: Sendable {
    /// A binary message.
    case data(Data)
    /// A text message.
    case string(String)
  }

  /// Why a WebSocket was closed (RFC 6455, 7.4.1).
  public enum CloseCode: Int, Sendable {
    /// The connection is not closed.
    case invalid = 0
    /// The purpose of the connection was fulfilled.
    case normalClosure = 1000
    /// An endpoint goes away.
    case goingAway = 1001
    /// An endpoint broke the protocol.
    case protocolError = 1002
    /// An endpoint got a kind of data that it does not accept.
    case unsupportedData = 1003
    /// Reserved: the close frame held no status. Never sent.
    case noStatusReceived = 1005
    /// Reserved: the connection ended without a close frame. Never sent.
    case abnormalClosure = 1006
    /// A message did not match its type, such as text that is not UTF-8.
    case invalidFramePayloadData = 1007
    /// A message broke the endpoint's policy.
    case policyViolation = 1008
    /// A message was too big.
    case messageTooBig = 1009
    /// The server did not agree to an extension that the client needs.
    case mandatoryExtensionMissing = 1010
    /// The server met an unexpected condition.
    case internalServerError = 1011
    /// Reserved: TLS could not be set up. Never sent.
    case tlsHandshakeFailure = 1015
  }
}
