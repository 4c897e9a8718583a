import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel

/// Folds a load's records into the metrics the app is given.
enum TaskMetricsFold {
  static func metrics(_ task: URLSessionTask, _ result: LoadResult) -> URLSessionTaskMetrics {
    let now = Date()
    let instant = result.context.clock.now
    let date: (Instant) -> Date = { now.addingTimeInterval($0.seconds(since: instant)) }
    let records = result.context.allRecords
    let transactions = records.map { record in
      URLSessionTaskTransactionMetrics(record: counted(record), response: record.response.map(URLResponse.make), date: date)
    }
    let interval = DateInterval(start: min(task.creation, now), end: now)
    return URLSessionTaskMetrics(transactions: transactions, taskInterval: interval, redirectCount: result.context.redirectCount)
  }

  /// Header bytes are those of the head as it stood on the wire: status line and fields.
  private static func counted(_ record: TransactionRecord) -> TransactionRecord {
    guard let head = record.response?.httpHead else { return record }
    var record = record
    let fields = head.headers.entries.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    record.responseHeaderBytes = Int64("HTTP/1.1 200 ".utf8.count + head.reason.utf8.count + 2 + fields + 2)
    return record
  }
}
