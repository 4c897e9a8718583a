import Foundation
import URLLoadingSystem

/// Reports how much of a body has been sent.
public final class SendingReporter: NSObject, URLSessionTaskDelegate {
  private let report: @Sendable (Double) -> Void

  public init(report: @escaping @Sendable (Double) -> Void) { self.report = report }

  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    guard totalBytesExpectedToSend > 0 else { return }
    report(Double(totalBytesSent) / Double(totalBytesExpectedToSend))
  }
}

/// Sends a file, which is never held in memory, and returns the status of the answer.
public func upload(_ file: URL, to url: URL, report: @escaping @Sendable (Double) -> Void) async throws -> Int? {
  var request = URLRequest(url: url)
  request.httpMethod = "PUT"
  let (_, response) = try await URLSession.shared.upload(for: request, fromFile: file, delegate: SendingReporter(report: report))
  return (response as? HTTPURLResponse)?.statusCode
}
