import Foundation
import LoadingModel
import ProtocolRules

/// The measurements of one request and its response. Immutable.
///
/// A date is nil if its phase didn't take place or, for an end, wasn't completed. A reused connection and a response from the cache have no dates of
/// lookup, connection and TLS.
open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
  // @unchecked: every stored property is an immutable value; subclasses answer for what they add.
  let record: TransactionRecord
  private let storedResponse: URLResponse?
  /// The date at which the session's monotonic clock was zero; dates are computed from it when they are asked for.
  private let origin: Date

  /// - Parameters:
  ///   - record: The measurements.
  ///   - response: The response as a public object; nil if none came.
  ///   - date: Converts times of the session's clock to dates. It is called once, as the difference is constant.
  package convenience init(record: TransactionRecord, response: URLResponse?, date: (Instant) -> Date) {
    self.init(record, response, origin: date(Instant(nanoseconds: 0)))
  }

  private init(_ record: TransactionRecord, _ response: URLResponse?, origin: Date) {
    self.record = record
    storedResponse = response
    self.origin = origin
    super.init()
  }

  /// Empty metrics, of a request without a URL.
  @available(*, deprecated, message: "Metrics come from a session.")
  public override init() {
    record = TransactionRecord(request: LoadRequest(url: nil))
    storedResponse = nil
    origin = .distantPast
    super.init()
  }

  /// The request as it was sent, without its `Authorization` and `Proxy-Authorization` fields: metrics are made to be logged.
  open var request: URLRequest { URLRequest(load: record.request.withoutAuthorization) }

  /// The response; nil if none came.
  open var response: URLResponse? { storedResponse }

  /// When the loader began to load the request, from the cache or the network.
  open var fetchStartDate: Date? { date(record.fetchStart) }

  /// When the lookup of the host's addresses began.
  open var domainLookupStartDate: Date? { date(record.domainLookupStart) }

  /// When the lookup of the host's addresses ended.
  open var domainLookupEndDate: Date? { date(record.domainLookupEnd) }

  /// When the attempt to connect began.
  open var connectStartDate: Date? { date(record.connectStart) }

  /// When the TLS handshake began.
  open var secureConnectionStartDate: Date? { date(record.secureConnectionStart) }

  /// When the TLS handshake ended.
  open var secureConnectionEndDate: Date? { date(record.secureConnectionEnd) }

  /// When the connection was ready, TLS included.
  open var connectEndDate: Date? { date(record.connectEnd) }

  /// When the request's first byte was sent.
  open var requestStartDate: Date? { date(record.requestStart) }

  /// When the request's last byte was sent.
  open var requestEndDate: Date? { date(record.requestEnd) }

  /// When the response's first byte came.
  open var responseStartDate: Date? { date(record.responseStart) }

  /// When the response's last byte came.
  open var responseEndDate: Date? { date(record.responseEnd) }

  /// The protocol by its ALPN name: "http/1.1", "h2" or "h3"; nil if the response didn't come from the network.
  open var networkProtocolName: String? { record.networkProtocolName }

  /// Whether the connection went through a proxy.
  open var isProxyConnection: Bool { record.isProxyConnection }

  /// Whether the connection had been used by an earlier request.
  open var isReusedConnection: Bool { record.isReusedConnection }

  /// Where the response came from: network or cache.
  open var resourceFetchType: URLSessionTaskMetrics.ResourceFetchType {
    URLSessionTaskMetrics.ResourceFetchType(rawValue: record.fetchType.rawValue) ?? .unknown
  }

  /// Bytes of the request's head on the wire.
  open var countOfRequestHeaderBytesSent: Int64 { record.requestHeaderBytes }

  /// Bytes of the request's body on the wire.
  open var countOfRequestBodyBytesSent: Int64 { record.requestBodyBytes }

  /// Bytes of the request's body as the app gave it.
  open var countOfRequestBodyBytesBeforeEncoding: Int64 { record.requestBodyBytesBeforeEncoding }

  /// Bytes of the response's head on the wire.
  open var countOfResponseHeaderBytesReceived: Int64 { record.responseHeaderBytes }

  /// Bytes of the response's body on the wire.
  open var countOfResponseBodyBytesReceived: Int64 { record.responseBodyBytes }

  /// Bytes of the response's body as the app gets it.
  open var countOfResponseBodyBytesAfterDecoding: Int64 { record.responseBodyBytesAfterDecoding }

  /// The connection's own IP address as text.
  open var localAddress: String? { record.connection?.localAddress }

  /// The connection's own port.
  open var localPort: Int? { record.connection?.localPort }

  /// The peer's IP address as text.
  open var remoteAddress: String? { record.connection?.remoteAddress }

  /// The peer's port.
  open var remotePort: Int? { record.connection?.remotePort }

  /// The TLS version; nil without TLS.
  open var negotiatedTLSProtocolVersion: tls_protocol_version_t? {
    record.connection?.tlsVersion.flatMap(tls_protocol_version_t.init(rawValue:))
  }

  /// The TLS cipher suite; nil without TLS.
  open var negotiatedTLSCipherSuite: tls_ciphersuite_t? {
    record.connection?.tlsCipherSuite.flatMap(tls_ciphersuite_t.init(rawValue:))
  }

  /// Whether the network was cellular, as far as the system says so; false where the response came from the cache.
  open var isCellular: Bool { record.networkTraits.contains(.cellular) }

  /// Whether the network was expensive: cellular, or metered as NetworkManager says, where it runs.
  open var isExpensive: Bool { record.networkTraits.contains(.expensive) }

  /// Whether the network was constrained: the user has told NetworkManager that it is metered.
  open var isConstrained: Bool { record.networkTraits.contains(.constrained) }

  /// Whether Multipath TCP was in use: the configuration's `multipathServiceType` asked for it, and kernel and server have it.
  open var isMultipath: Bool { record.connection?.isMultipath ?? false }

  /// The protocol by which the host's addresses were looked up. It isn't recorded: always `.unknown`.
  open var domainResolutionProtocol: URLSessionTaskMetrics.DomainResolutionProtocol { .unknown }

  /// One line: the request, the outcome, the connection, durations and sizes. Without credentials and query.
  open override var description: String { MetricsText.line(record) }

  func date(_ instant: Instant?) -> Date? {
    guard let instant else { return nil }
    return origin.addingTimeInterval(Double(instant.nanoseconds) / 1e9)
  }
}
