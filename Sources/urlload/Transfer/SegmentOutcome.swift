import Foundation
import URLLoadingSystem

/// The results of a load in segments: metrics and response of its last request, and sums over all requests.
struct SegmentOutcome: Sendable {
  private(set) var last: (metrics: URLSessionTaskMetrics, response: URLResponse?)?
  /// Bytes of the body that all segments have received.
  private(set) var received: Int64 = 0
  private var span: DateInterval?

  /// Seconds from the beginning of the first request to the end of the last one.
  var seconds: Double { span?.duration ?? 0 }

  /// Adds a request's results.
  /// - Parameter countsBody: Whether the response's body is a part of the file; false for the request that asks for the length.
  mutating func take(_ metrics: URLSessionTaskMetrics, _ response: URLResponse?, countsBody: Bool) {
    last = (metrics, response)
    if countsBody { received += metrics.transactionMetrics.last?.countOfResponseBodyBytesReceived ?? 0 }
    let own = metrics.taskInterval
    span = span.map { DateInterval(start: min($0.start, own.start), end: max($0.end, own.end)) } ?? own
  }
}
