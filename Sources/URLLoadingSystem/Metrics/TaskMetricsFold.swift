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
    return URLSessionTaskMetrics(
      transactions: transactions, taskInterval: interval(from: creation, to: now, around: transactions), redirectCount: result.redirectCount
    )
  }

  /// The time of a whole task. It has all of its transactions: their dates are counted back from `now`, and may lie before `creation` where the
  /// clock was set back meanwhile, or this thread had to wait between reading the date and the monotonic clock.
  static func interval(from creation: Date, to now: Date, around transactions: [URLSessionTaskTransactionMetrics]) -> DateInterval {
    let first = transactions.compactMap(\.fetchStartDate).min() ?? now
    return DateInterval(start: min(creation, first, now), end: now)
  }
}
