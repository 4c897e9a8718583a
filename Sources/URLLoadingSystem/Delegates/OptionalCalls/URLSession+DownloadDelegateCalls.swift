import Foundation

extension URLSession {
  /// Makes optional calls of `URLSessionDownloadDelegate`'s methods compile: `delegate?.urlSession?(session, downloadTask: task, …)`.
  ///
  /// A call does what the method does. It returns `nil` if the delegate doesn't implement the method.
  public struct DownloadDelegateCalls: Sendable {
    let messages: DelegateMessages

    /// Calls the method of the same signature, which every download delegate implements.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) -> Void? {
      messages.didFinishDownloading(session, downloadTask, to: location) ? () : nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
      totalBytesExpectedToWrite: Int64
    ) -> Void? {
      messages.didWriteData(
        session, downloadTask, bytes: bytesWritten, total: totalBytesWritten, expected: totalBytesExpectedToWrite) ? () : nil
    }

    /// Calls the delegate's method of the same signature; returns `nil` if the delegate doesn't implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) -> Void? {
      messages.didResume(session, downloadTask, atOffset: fileOffset, expected: expectedTotalBytes) ? () : nil
    }
  }
}

extension URLSessionDownloadDelegate {
  /// Makes `delegate.urlSession?(…)` compile, the call of an optional method as on Apple's platforms; never `nil`.
  @_disfavoredOverload
  public var urlSession: URLSession.DownloadDelegateCalls? { URLSession.DownloadDelegateCalls(messages: DelegateMessages(self)) }
}
