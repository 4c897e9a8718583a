import Foundation

/// Messages of download tasks. `urlSession(_:downloadTask:didFinishDownloadingTo:)` is the one method that must be implemented.
@preconcurrency
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
  /// The download is complete. Open or move the file before returning: it is removed afterwards.
  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)

  /// Bytes were written to the file. The expected total is -1 if unknown.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
    totalBytesExpectedToWrite: Int64)

  /// The download resumes at `fileOffset` bytes instead of starting anew. The expected total is -1 if unknown.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64)
}

extension URLSessionDownloadDelegate {
  /// Default implementation: does nothing.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
    totalBytesExpectedToWrite: Int64
  ) {
    DelegateProbe.noteDefault(self, .didWriteData)
  }

  /// Default implementation: does nothing.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
  ) {
    DelegateProbe.noteDefault(self, .didResumeDownload)
  }
}
