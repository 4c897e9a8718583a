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
  ///
  /// Apple's type holds any number; here a number without a named case is an `other`, such as an application's own codes from 4000 on.
  public enum CloseCode: RawRepresentable, Hashable, Sendable {
    /// The connection is not closed.
    case invalid
    /// The purpose of the connection was fulfilled.
    case normalClosure
    /// An endpoint is going away, such as a server that shuts down.
    case goingAway
    /// An endpoint broke the protocol.
    case protocolError
    /// An endpoint got a kind of data that it does not accept.
    case unsupportedData
    /// Reserved: the close frame held no status. Never sent.
    case noStatusReceived
    /// Reserved: the connection ended without a close frame. Never sent.
    case abnormalClosure
    /// A message did not match its type, such as text that is not UTF-8.
    case invalidFramePayloadData
    /// A message broke the endpoint's policy.
    case policyViolation
    /// A message was too big.
    case messageTooBig
    /// The server did not agree to an extension that the client needs.
    case mandatoryExtensionMissing
    /// The server met an unexpected condition.
    case internalServerError
    /// Reserved: TLS could not be set up. Never sent.
    case tlsHandshakeFailure
    /// A code that has no named case.
    case other(Int)

    private static let named: [(number: Int, code: CloseCode)] = [
      (0, .invalid), (1000, .normalClosure), (1001, .goingAway), (1002, .protocolError), (1003, .unsupportedData),
      (1005, .noStatusReceived), (1006, .abnormalClosure), (1007, .invalidFramePayloadData), (1008, .policyViolation),
      (1009, .messageTooBig), (1010, .mandatoryExtensionMissing), (1011, .internalServerError), (1015, .tlsHandshakeFailure),
    ]

    init(_ number: Int) {
      self = CloseCode.named.first { $0.number == number }?.code ?? .other(number)
    }

    /// The code with this number; never nil, as with Apple's type.
    public init?(rawValue: Int) { self.init(rawValue) }

    /// The code's number, such as 1000.
    public var rawValue: Int {
      switch self {
      case .invalid: 0
      case .normalClosure: 1000
      case .goingAway: 1001
      case .protocolError: 1002
      case .unsupportedData: 1003
      case .noStatusReceived: 1005
      case .abnormalClosure: 1006
      case .invalidFramePayloadData: 1007
      case .policyViolation: 1008
      case .messageTooBig: 1009
      case .mandatoryExtensionMissing: 1010
      case .internalServerError: 1011
      case .tlsHandshakeFailure: 1015
      case .other(let number): number
      }
    }

    /// Whether both codes have the same number.
    public static func == (left: CloseCode, right: CloseCode) -> Bool { left.rawValue == right.rawValue }

    /// Hashes the code's number.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
  }
}
