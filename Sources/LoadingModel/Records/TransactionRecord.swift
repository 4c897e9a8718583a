import Foundation
import Synchronization

/// What happened to one request/response pair, filled in as its events occur; metrics, progress and logs read it.
///
/// A begin without an end means that the phase didn't complete. Times are on the session's clock.
package struct TransactionRecord: Sendable {
  package enum FetchType: Int, Sendable {
    case unknown = 0
    case networkLoad = 1
    case serverPush = 2
    case localCache = 3
  }

  package var request: LoadRequest
  package var response: LoadResponse?
  package var fetchType = FetchType.unknown
  package var fetchStart: Instant?
  package var domainLookupStart: Instant?
  package var domainLookupEnd: Instant?
  package var connectStart: Instant?
  package var secureConnectionStart: Instant?
  package var secureConnectionEnd: Instant?
  package var connectEnd: Instant?
  package var requestStart: Instant?
  package var requestEnd: Instant?
  package var responseStart: Instant?
  package var responseEnd: Instant?
  /// ALPN identifier: "http/1.1", "h2", "h3".
  package var networkProtocolName: String?
  /// Why it used HTTP/3, or why it didn't; nil where this isn't known, and for anything but https.
  package var alternative: AlternativeUse?
  package var isProxyConnection = false
  package var isReusedConnection = false
  package var requestHeaderBytes: Int64 = 0
  package var requestBodyBytes: Int64 = 0
  package var requestBodyBytesBeforeEncoding: Int64 = 0
  package var responseHeaderBytes: Int64 = 0
  package var responseBodyBytes: Int64 = 0
  package var responseBodyBytesAfterDecoding: Int64 = 0
  /// Fields behind the response's body, once that has been read to its end.
  package var trailers: HeaderFields?
  package var connection: ConnectionFacts?
  /// What is known of the network that the connection uses.
  package var networkTraits: NetworkAccess = []

  package init(request: LoadRequest) { self.request = request }
}

/// What is known of an established connection: fixed once it is ready, shared by the exchanges on it.
package final class ConnectionFacts: Codable, Sendable {
  package let localAddress: String?
  package let localPort: Int?
  package let remoteAddress: String?
  package let remotePort: Int?
  /// 0x0301…0x0304; nil without TLS.
  package let tlsVersion: UInt16?
  /// IANA number; nil without TLS.
  package let tlsCipherSuite: UInt16?
  package let isTLSResumed: Bool
  /// Whether the app accepted certificates against the trust evaluation.
  package let isTrustOverridden: Bool
  /// IANA number of the key exchange's group; nil without TLS, and for key exchanges without one.
  package let keyExchangeGroup: UInt16?
  /// Whether the ClientHello was encrypted; nil where nothing is known of it, and without TLS.
  package let encryptedHello: EncryptedHelloUse?
  /// Whether it may take several paths (Multipath TCP).
  package let isMultipath: Bool
  /// nil for connections of TCP.
  package let quic: QUICFacts?
  /// What the server has shown, its own certificate first, in DER; nil without `keepsCertificates`, and for a session that was resumed.
  package let certificates: [Data]?

  /// Whether connections that are made from now on keep their `certificates`: some kilobytes each.
  package static let keepsCertificates = Atomic(false)

  /// `certificates`, if they are to be kept.
  package static func kept(_ certificates: @autoclosure () -> [Data]) -> [Data]? {
    keepsCertificates.load(ordering: .relaxed) ? certificates() : nil
  }

  package init(
    localAddress: String?, localPort: Int?, remoteAddress: String?, remotePort: Int?, tlsVersion: UInt16?, tlsCipherSuite: UInt16?,
    isTLSResumed: Bool, isTrustOverridden: Bool = false, keyExchangeGroup: UInt16? = nil, encryptedHello: EncryptedHelloUse? = nil,
    isMultipath: Bool = false, quic: QUICFacts? = nil, certificates: [Data]? = nil
  ) {
    self.localAddress = localAddress
    self.localPort = localPort
    self.remoteAddress = remoteAddress
    self.remotePort = remotePort
    self.tlsVersion = tlsVersion
    self.tlsCipherSuite = tlsCipherSuite
    self.isTLSResumed = isTLSResumed
    self.isTrustOverridden = isTrustOverridden
    self.keyExchangeGroup = keyExchangeGroup
    self.encryptedHello = encryptedHello
    self.isMultipath = isMultipath
    self.quic = quic
    self.certificates = certificates
  }
}
