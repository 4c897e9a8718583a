import Foundation
import LoadingModel

/// A step of setting up one connection, told while it happens.
package enum ConnectionEvent: Sendable {
  case lookup(host: String)
  /// The addresses that the look-up has found. IPv4 and IPv6 are looked up separately: one event each.
  case addresses(host: String, [String])
  /// The look-up has found no address, neither IPv4 nor IPv6.
  case noAddress(host: String)
  case connecting(to: String, port: Int)
  case connected(to: String, port: Int)
  case failed(to: String, port: Int, reason: String)
  /// A tunnel to `to` (host and port) is requested from the proxy.
  case tunnel(proxy: String, to: String)
  case tunnelOpen(proxy: String)
  case handshake(serverName: String)
  /// A message of the handshake, by its number (RFC 8446, 4; RFC 5246, 7.4).
  case handshakeMessage(type: UInt8, isSent: Bool, length: Int)
  case secured(SecuredConnection)
  /// The TLS handshake has failed. `certificates` are those that the server had presented until then (DER); empty if none.
  case unsecured(reason: String, certificates: [Data])
  /// This side has closed the connection during its handshake: the load has ended, or another attempt has won the race.
  case abandoned
}

/// The result of a successful TLS handshake: the negotiated parameters and the server's certificates.
package struct SecuredConnection: Sendable {
  package let version: UInt16?
  package let cipherSuite: UInt16?
  /// IANA number of the key exchange's group; nil where a session was resumed without one.
  package let group: UInt16?
  package let encryptedHello: EncryptedHelloUse
  /// The protocol's ALPN name, such as "h2"; nil if ALPN negotiated none.
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
  /// Whether the watcher wants `carried` to be called. Asked once for each connection; if false, no handler that parses frames is added to it.
  var watchesFrames: Bool { get }
  /// A connection of HTTP/2 or HTTP/3 has sent or received a frame.
  func carried(_ frame: WatchedFrame)
}

extension ConnectionWatcher {
  package var watchesFrames: Bool { false }
  package func carried(_ frame: WatchedFrame) {}
}

/// A frame of HTTP/2 (RFC 9113, 4.1) or HTTP/3 (RFC 9114, 7.1), as a watcher is told of it.
package struct WatchedFrame: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    case http2(type: UInt8, flags: UInt8)
    case http3(type: UInt64)
    /// The peer or this side has opened a unidirectional stream of this type (RFC 9114, 6.2); `length` is 0.
    case http3Stream(type: UInt64)
  }

  package let kind: Kind
  package let isSent: Bool
  package let stream: Int64
  /// Bytes of payload.
  package let length: UInt64
  /// The payload's first bytes, of frames that carry neither fields nor a body.
  package let payload: [UInt8]

  package init(_ kind: Kind, isSent: Bool, stream: Int64, length: UInt64, payload: [UInt8] = []) {
    (self.kind, self.isSent, self.stream, self.length, self.payload) = (kind, isSent, stream, length, payload)
  }
}
