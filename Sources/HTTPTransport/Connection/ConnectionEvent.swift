import Foundation
import LoadingModel

/// A step of setting up one connection, told while it happens.
package enum ConnectionEvent: Sendable {
  case lookup(host: String)
  /// What the look-up has found: of one family, as each is answered by itself.
  case addresses(host: String, [String])
  /// There are none, of either family.
  case noAddress(host: String)
  case connecting(to: String, port: Int)
  case connected(to: String, port: Int)
  case failed(to: String, port: Int, reason: String)
  /// A proxy is asked for a tunnel.
  case tunnel(proxy: String, to: String)
  case tunnelOpen(proxy: String)
  case handshake(serverName: String)
  case secured(SecuredConnection)
  /// The handshake has failed; the certificates as far as the server has shown any.
  case unsecured(reason: String, certificates: [Data])
}

/// What a TLS handshake has come to.
package struct SecuredConnection: Sendable {
  package let version: UInt16?
  package let cipherSuite: UInt16?
  /// IANA number of the key exchange's group; nil where a session was resumed without one.
  package let group: UInt16?
  /// By ALPN; nil where nothing was negotiated.
  package let applicationProtocol: String?
  package let isResumed: Bool
  /// Whether the app accepted the server against the evaluation.
  package let isTrustOverridden: Bool
  /// In DER, the server's own first.
  package let certificates: [Data]
}

/// Is told what happens to the connections of a session while they are set up. Called on the session's event loop.
package protocol ConnectionWatcher: AnyObject, Sendable {
  /// - Parameter isQUIC: Whether it is a connection of HTTP/3.
  func happened(_ event: ConnectionEvent, isQUIC: Bool)
}
