import Foundation
import URLLoadingSystem

extension TransactionTiming {
  /// The timing of one transaction, from its metrics.
  /// - Parameter origin: When the load began.
  /// - Parameter end: When the load ended: phases without an end of their own end here.
  init(_ metrics: URLSessionTaskTransactionMetrics, since origin: Date, until end: Date) {
    // QUIC's handshake includes that of TLS, so that there is one phase for both.
    let connecting: [(String, Date?, Date?)] =
      metrics.networkProtocolName == "h3"
      ? [("QUIC", metrics.connectStartDate, metrics.connectEndDate)]
      : [
        ("connect", metrics.connectStartDate, metrics.secureConnectionStartDate ?? metrics.connectEndDate),
        ("TLS", metrics.secureConnectionStartDate, metrics.secureConnectionEndDate),
      ]
    let spans: [(String, Date?, Date?)] =
      [("DNS", metrics.domainLookupStartDate, metrics.domainLookupEndDate)] + connecting + [
        ("request", metrics.requestStartDate, metrics.requestEndDate),
        ("waiting", metrics.requestEndDate, metrics.responseStartDate),
        ("response", metrics.responseStartDate, metrics.responseEndDate),
      ]
    let failed = metrics.responseEndDate == nil
    let phases = spans.compactMap { name, start, finish -> Phase? in
      guard let start, let end = finish ?? (failed ? end : nil) else { return nil }
      // Dates are rounded, so that an end may lie before its start: the length isn't negative then.
      let from = max(0, start.timeIntervalSince(origin))
      return Phase(name: name, start: from, end: max(from, end.timeIntervalSince(origin)))
    }
    self.init(title: TransactionTiming.title(metrics), facts: TransactionTiming.facts(metrics), phases: phases)
  }

  /// One line about the transaction's connection; nil if there was none.
  static func connectionLine(_ metrics: URLSessionTaskTransactionMetrics) -> String? {
    guard let address = metrics.remoteAddress, let port = metrics.remotePort else { return nil }
    let kind = metrics.isReusedConnection ? "reused connection to" : "connected to"
    let local = metrics.localPort.map { " from port \($0)" } ?? ""
    let proxy = metrics.isProxyConnection ? "through a proxy" : nil
    return (["\(kind) \(address) port \(port)\(local)", metrics.networkProtocolName, tls(metrics), proxy].compactMap { $0 })
      .joined(separator: ", ")
  }

  private static func title(_ metrics: URLSessionTaskTransactionMetrics) -> String {
    let status = (metrics.response as? HTTPURLResponse).map { String($0.statusCode) }
    let outcome = status ?? (metrics.response == nil ? "no response" : "response")
    let url = metrics.request.url.map { Masking.url($0.absoluteString) } ?? ""
    return Printable.text("\(metrics.request.httpMethod ?? "GET") \(url) -> \(outcome)")
  }

  private static func facts(_ metrics: URLSessionTaskTransactionMetrics) -> [String] {
    var facts: [String] = []
    if let connection = connectionLine(metrics) { facts.append(connection) }
    facts += HTTP3Text.lines(metrics)
    if metrics.resourceFetchType == .localCache { facts.append("from the local cache") }
    let sent = "sent \(metrics.countOfRequestHeaderBytesSent) B head, \(metrics.countOfRequestBodyBytesSent) B body"
    var received = "received \(metrics.countOfResponseHeaderBytesReceived) B head, \(metrics.countOfResponseBodyBytesReceived) B body"
    let decoded = metrics.countOfResponseBodyBytesAfterDecoding
    if decoded != metrics.countOfResponseBodyBytesReceived { received += " (\(decoded) B decoded)" }
    if metrics.networkProtocolName != nil { facts.append("\(sent); \(received)") }
    return facts
  }

  /// TLS version and cipher suite; nil without TLS.
  static func tls(_ metrics: URLSessionTaskTransactionMetrics) -> String? {
    guard let version = metrics.negotiatedTLSProtocolVersion else { return nil }
    return name(version) + (metrics.negotiatedTLSCipherSuite.map { " \($0)" } ?? "")
  }

  static func name(_ version: tls_protocol_version_t) -> String {
    switch version {
    case .TLSv10: "TLS 1.0"
    case .TLSv11: "TLS 1.1"
    case .TLSv12: "TLS 1.2"
    case .TLSv13: "TLS 1.3"
    case .DTLSv10: "DTLS 1.0"
    case .DTLSv12: "DTLS 1.2"
    }
  }
}
