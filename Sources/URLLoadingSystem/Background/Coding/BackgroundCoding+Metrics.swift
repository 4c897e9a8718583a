import BackgroundTransfers
import Foundation
import LoadingModel

extension BackgroundCoding {
  /// Encodes a task's metrics; nil if they can't be encoded.
  package static func data(_ metrics: URLSessionTaskMetrics) -> Data? { try? MessageCoding.encode(MetricsValue(metrics)) }

  /// Decodes a task's metrics; nil if `data` isn't encoded metrics.
  package static func metrics(_ data: Data) -> URLSessionTaskMetrics? {
    (try? MessageCoding.decode(MetricsValue.self, from: data))?.metrics
  }
}

/// The form in which a task's metrics are sent from the daemon to the app.
struct MetricsValue: Codable, Sendable {
  private let start: Date
  private let end: Date
  private let redirects: Int
  private let transactions: [TransactionValue]

  init(_ metrics: URLSessionTaskMetrics) {
    start = metrics.taskInterval.start
    end = metrics.taskInterval.end
    redirects = metrics.redirectCount
    transactions = metrics.transactionMetrics.map { TransactionValue($0) }
  }

  var metrics: URLSessionTaskMetrics {
    URLSessionTaskMetrics(
      transactions: transactions.map(\.metrics), taskInterval: DateInterval(start: start, end: max(start, end)), redirectCount: redirects)
  }
}
