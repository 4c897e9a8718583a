import Foundation
import URLLoadingSystem

/// Reports how much of an async download is written.
public final class DownloadReports: NSObject, URLSessionDownloadDelegate {
  private let report: @Sendable (Double) -> Void

  public init(report: @escaping @Sendable (Double) -> Void) { self.report = report }

  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
    totalBytesExpectedToWrite: Int64
  ) {
    report(Double(totalBytesWritten) / Double(max(1, totalBytesExpectedToWrite)))
  }

  /// An async download returns its file instead.
  public func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {}
}

/// Downloads into a temporary file, which is the caller's, and reports how far that is.
public func downloadReporting(_ url: URL, report: @escaping @Sendable (Double) -> Void) async throws -> URL {
  let configuration = URLSessionConfiguration.ephemeral
  configuration.reportsAsyncDownloads = true
  let session = URLSession(configuration: configuration)
  defer { session.finishTasksAndInvalidate() }
  return try await session.download(from: url, delegate: DownloadReports(report: report)).0
}
