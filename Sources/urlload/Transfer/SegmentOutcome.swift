import Foundation
import URLLoadingSystem

/// What is known of a load in segments: of its last request everything, of all together the sum.
struct SegmentOutcome: Sendable {
  private(set) var last: (metrics: URLSessionTaskMetrics, response: URLResponse?)?
  /// Bytes of the body.
  private(set) var received: Int64 = 0
  private var span: DateInterval?

  /// Seconds from the first request to the end of the last.
  var seconds: Double { span?.duration ?? 0 }

  /// - Parameter countsBody: Whether the body of the response is a part of the file, rather than a look at what the server has.
  mutating func take(_ metrics: URLSessionTaskMetrics, _ response: URLResponse?, countsBody: Bool) {
    last = (metrics, response)
    if countsBody { received += metrics.transactionMetrics.last?.countOfResponseBodyBytesReceived ?? 0 }
    let own = metrics.taskInterval
    span = span.map { DateInterval(start: min($0.start, own.start), end: max($0.end, own.end)) } ?? own
  }
}
