import Foundation
import URLLoadingSystem

/// Turns the metrics of a task into lines of text.
public final class MetricsPrinter: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
  // @unchecked: the session's delegate queue writes before the load returns, the caller reads afterwards.
  public private(set) var lines: [String] = []

  public func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    for transaction in metrics.transactionMetrics {
      let path = transaction.request.url?.path ?? "?"
      let version = transaction.networkProtocolName ?? "-"
      let reuse = transaction.isReusedConnection ? "reused" : "new"
      lines.append("\(path) \(version) \(reuse) connection, \(transaction.countOfResponseBodyBytesReceived) bytes")
    }
    lines.append("\(metrics.redirectCount) redirects, took \(metrics.taskInterval.duration > 0 ? "time" : "none")")
  }
}

/// Loads a URL and describes how that went.
public func describeLoad(of url: URL) async throws -> [String] {
  let printer = MetricsPrinter()
  _ = try await URLSession.shared.data(from: url, delegate: printer)
  return printer.lines
}
