import LoadingModel

extension URLSessionConfiguration {
  /// Whether the delegate of `download(for:delegate:)` and its siblings is told how far the file has come. Default: false, as on Apple's
  /// platforms.
  ///
  /// With true, a `URLSessionDownloadDelegate` given to such a call, or else the session's, gets
  /// `urlSession(_:downloadTask:didWriteData:totalBytesWritten:totalBytesExpectedToWrite:)` and, for a download that resumes,
  /// `didResumeAtOffset`; never `didFinishDownloadingTo`: the file is what the call returns.
  ///
  /// An addition, for code written for the toolchain's library, which tells this without being asked.
  public final var reportsAsyncDownloads: Bool {
    get { values.withLock { $0.reportsAsyncDownloads } }
    set { values.change { $0.reportsAsyncDownloads = newValue } }
  }
}
