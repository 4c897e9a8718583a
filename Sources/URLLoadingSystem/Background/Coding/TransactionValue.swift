import Foundation
import LoadingModel

/// The metrics of one request and its response (`URLSessionTaskTransactionMetrics`) in the form that is sent from the daemon to the app.
struct TransactionValue: Codable, Sendable {
  private let request: RequestValue
  private let response: ResponseValue?
  private let fetchType: Int
  /// The record's times in the order of `moments`, in seconds since 1970; nil for a time that wasn't recorded.
  private let times: [Double?]
  /// The record's byte counts in the order of `counts`.
  private let bytes: [Int64]
  private let networkProtocolName: String?
  private let isProxyConnection: Bool
  private let isReusedConnection: Bool
  private let networkTraits: UInt8
  private let connection: ConnectionFacts?
  /// How an alternative service (HTTP/3) was used; nil from an app or a daemon of an earlier version.
  private let alternative: AlternativeUse?
  /// For an alternative that is broken, the time until which HTTP/3 isn't tried, in seconds since 1970; otherwise nil.
  private let brokenUntil: Double?

  private static var moments: [WritableKeyPath<TransactionRecord, Instant?>] {
    [
      \.fetchStart, \.domainLookupStart, \.domainLookupEnd, \.connectStart, \.secureConnectionStart, \.secureConnectionEnd, \.connectEnd,
      \.requestStart, \.requestEnd, \.responseStart, \.responseEnd,
    ]
  }

  private static var counts: [WritableKeyPath<TransactionRecord, Int64>] {
    [
      \.requestHeaderBytes, \.requestBodyBytes, \.requestBodyBytesBeforeEncoding, \.responseHeaderBytes, \.responseBodyBytes,
      \.responseBodyBytesAfterDecoding,
    ]
  }

  init(_ metrics: URLSessionTaskTransactionMetrics) {
    let record = metrics.record
    // Without attached cookies, as the public property: metrics are made to be logged, and hold no secrets. Without the body, which redirects and
    // retries would repeat in the message.
    request = RequestValue(metrics.request.load.withoutAttachedCookies, keepsData: false)
    response = metrics.response.flatMap { ResponseValue($0) }
    fetchType = record.fetchType.rawValue
    times = TransactionValue.moments.map { metrics.date(record[keyPath: $0])?.timeIntervalSince1970 }
    bytes = TransactionValue.counts.map { record[keyPath: $0] }
    networkProtocolName = record.networkProtocolName
    isProxyConnection = record.isProxyConnection
    isReusedConnection = record.isReusedConnection
    networkTraits = record.networkTraits.rawValue
    connection = record.connection
    alternative = record.alternative
    if case .broken(let until)? = record.alternative {
      brokenUntil = metrics.date(until)?.timeIntervalSince1970
    } else {
      brokenUntil = nil
    }
  }

  var metrics: URLSessionTaskTransactionMetrics {
    var record = TransactionRecord(request: request.request)
    let response = response?.response
    record.response = response?.load
    record.fetchType = TransactionRecord.FetchType(rawValue: fetchType) ?? .unknown
    let origin = times.compactMap(\.self).min() ?? 0
    for (moment, time) in zip(TransactionValue.moments, times) {
      record[keyPath: moment] = time.map { Instant(nanoseconds: 0).advanced(bySeconds: $0 - origin) }
    }
    for (count, bytes) in zip(TransactionValue.counts, bytes) { record[keyPath: count] = bytes }
    record.networkProtocolName = networkProtocolName
    record.isProxyConnection = isProxyConnection
    record.isReusedConnection = isReusedConnection
    record.networkTraits = NetworkAccess(rawValue: networkTraits)
    record.connection = connection
    record.alternative = alternative
    if let brokenUntil { record.alternative = .broken(until: Instant(nanoseconds: 0).advanced(bySeconds: brokenUntil - origin)) }
    let start = Date(timeIntervalSince1970: origin)
    return URLSessionTaskTransactionMetrics(record: record, response: response) {
      start.addingTimeInterval(Double($0.nanoseconds) / 1e9)
    }
  }
}
