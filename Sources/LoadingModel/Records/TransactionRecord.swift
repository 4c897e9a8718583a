import Foundation
import Synchronization

/// What happened to one request and its response, with times, filled in as the events occur; metrics, progress and logs are made from it.
///
/// If the start of a phase is set but not its end, the phase didn't complete. Times are those of the session's clock.
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
  /// The ALPN identifier of the protocol: "http/1.1", "h2", "h3".
  package var networkProtocolName: String?
  /// Why the request used HTTP/3, or why it didn't; nil if unknown, and for anything but https.
  package var alternative: AlternativeUse?
  package var isProxyConnection = false
  package var isReusedConnection = false
  package var requestHeaderBytes: Int64 = 0
  package var requestBodyBytes: Int64 = 0
  package var requestBodyBytesBeforeEncoding: Int64 = 0
  package var responseHeaderBytes: Int64 = 0
  package var responseBodyBytes: Int64 = 0
  package var responseBodyBytesAfterDecoding: Int64 = 0
  /// The response's trailer fields, once the body has been read to its end.
  package var trailers: HeaderFields?
  package var connection: ConnectionFacts?
  /// Properties of the network that the connection uses: cellular, expensive, constrained.
  package var networkTraits: NetworkAccess = []

  package init(request: LoadRequest) { self.request = request }
}

/// The facts about an established connection: fixed once it is ready, shared by all exchanges on it.
package final class ConnectionFacts: Codable, Sendable {
  package let localAddress: String?
  package let localPort: Int?
  package let remoteAddress: String?
  package let remotePort: Int?
  /// The TLS version's number on the wire, 0x0301…0x0304; nil without TLS.
  package let tlsVersion: UInt16?
  /// The cipher suite's IANA number; nil without TLS.
  package let tlsCipherSuite: UInt16?
  package let isTLSResumed: Bool
  /// Whether the app accepted the server's certificates although the trust evaluation had failed.
  package let isTrustOverridden: Bool
  /// The IANA number of the key exchange's group; nil without TLS, and for key exchanges without a group.
  package let keyExchangeGroup: UInt16?
  /// Whether the ClientHello was encrypted; nil if unknown, and without TLS.
  package let encryptedHello: EncryptedHelloUse?
  /// Whether the connection may use several paths (Multipath TCP).
  package let isMultipath: Bool
  /// The facts about a QUIC connection; nil for TCP.
  package let quic: QUICFacts?
  /// The server's certificates in DER, its own first; nil unless `keepsCertificates` is set, and for a resumed TLS session, which has none.
  package let certificates: [Data]?

  /// Whether connections made from now on keep their `certificates`, which take some kilobytes each.
  package static let keepsCertificates = Atomic(false)

  /// The certificates if `keepsCertificates` is set; otherwise nil, without evaluating the argument.
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
