import Foundation
import URLLoadingSystem

/// The JSON object that `--metrics=json` writes.
struct MetricsRecord: Encodable, Sendable {
  struct Transaction: Encodable, Sendable {
    struct Phase: Encodable, Sendable {
      var name: String
      /// Milliseconds since the beginning of the load.
      var start: Double
      var end: Double
    }

    var method: String
    var url: String
    var status: Int?
    var protocolName: String?
    var tls: String?
    var remoteAddress: String?
    var remotePort: Int?
    var localPort: Int?
    var isReused: Bool
    var isProxied: Bool
    var isFromCache: Bool
    var requestHeaderBytes: Int64
    var requestBodyBytes: Int64
    var responseHeaderBytes: Int64
    var responseBodyBytes: Int64
    var decodedBodyBytes: Int64
    var phases: [Phase]
  }

  var url: String
  var milliseconds: Double?
  var exitCode: Int32
  var error: String?
  var transactions: [Transaction]

  /// - Parameter url: The URL without a password.
  init(_ metrics: URLSessionTaskMetrics?, url: String, _ failure: ToolFailure?) {
    self.url = url
    milliseconds = metrics.map { MetricsRecord.rounded($0.taskInterval.duration) }
    exitCode = failure?.status.rawValue ?? 0
    error = failure?.message
    let origin = metrics?.transactionMetrics.compactMap(\.fetchStartDate).min() ?? metrics?.taskInterval.start
    transactions = (metrics?.transactionMetrics ?? []).map { one in
      let timing = TransactionTiming(one, since: origin ?? Date(), until: metrics?.taskInterval.end ?? Date())
      return Transaction(
        method: one.request.httpMethod ?? "GET", url: Masking.url(one.request.url?.absoluteString ?? ""),
        status: (one.response as? HTTPURLResponse)?.statusCode, protocolName: one.networkProtocolName, tls: TransactionTiming.tls(one),
        remoteAddress: one.remoteAddress, remotePort: one.remotePort, localPort: one.localPort, isReused: one.isReusedConnection,
        isProxied: one.isProxyConnection, isFromCache: one.resourceFetchType == .localCache,
        requestHeaderBytes: one.countOfRequestHeaderBytesSent, requestBodyBytes: one.countOfRequestBodyBytesSent,
        responseHeaderBytes: one.countOfResponseHeaderBytesReceived, responseBodyBytes: one.countOfResponseBodyBytesReceived,
        decodedBodyBytes: one.countOfResponseBodyBytesAfterDecoding,
        phases: timing.phases.map {
          Transaction.Phase(name: $0.name, start: MetricsRecord.rounded($0.start), end: MetricsRecord.rounded($0.end))
        })
    }
  }

  /// The time in milliseconds, with three decimals.
  private static func rounded(_ seconds: Double) -> Double { (seconds * 1_000_000).rounded() / 1000 }
}
