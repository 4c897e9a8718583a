import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel

/// Makes a task's `URLSessionTaskMetrics` of the records of its load.
enum TaskMetricsFold {
  /// - Parameter creation: The date on which the task was made.
  static func metrics(since creation: Date, _ result: LoadResult) -> URLSessionTaskMetrics {
    let now = Date()
    let instant = result.context.clock.now
    let date: (Instant) -> Date = { now.addingTimeInterval($0.seconds(since: instant)) }
    let records = result.context.allRecords
    let transactions = records.map { record in
      URLSessionTaskTransactionMetrics(record: record, response: record.response.map(URLResponse.make), date: date)
    }
    let interval = DateInterval(start: min(creation, now), end: now)
    return URLSessionTaskMetrics(transactions: transactions, taskInterval: interval, redirectCount: result.redirectCount)
  }
}
