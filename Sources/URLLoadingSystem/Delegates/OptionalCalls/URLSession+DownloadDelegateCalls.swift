import Foundation

extension URLSession {
  /// The optional-call spelling of `URLSessionDownloadDelegate`'s methods: `delegate?.urlSession?(session, downloadTask: task, …)`.
  ///
  /// A call does what the method does and returns `nil` if the delegate does not implement it.
  public struct DownloadDelegateCalls: Sendable {
    let messages: DelegateMessages

    /// Calls the method of the same signature, which every download delegate implements.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) -> Void? {
      messages.didFinishDownloading(session, downloadTask, to: location) ? () : nil
    }

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
      totalBytesExpectedToWrite: Int64
    ) -> Void? {
      messages.didWriteData(
        session, downloadTask, bytes: bytesWritten, total: totalBytesWritten, expected: totalBytesExpectedToWrite) ? () : nil
    }

    /// Calls the method of the same signature; `nil` if the delegate does not implement it.
    @discardableResult
    public func callAsFunction(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) -> Void? {
      messages.didResume(session, downloadTask, atOffset: fileOffset, expected: expectedTotalBytes) ? () : nil
    }
  }
}

extension URLSessionDownloadDelegate {
  /// The delegate's methods to be called with a question mark. Never `nil`.
  @_disfavoredOverload
  public var urlSession: URLSession.DownloadDelegateCalls? { URLSession.DownloadDelegateCalls(messages: DelegateMessages(self)) }
}
