import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel

/// A task that loads into a file.
///
/// The file lies in the temporary folder and is removed when the delegate's `didFinishDownloadingTo`, or the completion handler, returns:
/// move it there. Nothing of the body is held in memory beyond about a megabyte that waits for the disk.
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
  // @unchecked: the one stored property is an immutable value; subclasses answer for what they add.
  /// Where the earlier download that this one resumes has ended; nil for a new download.
  private let resumption: ResumePoint?

  init(
    session: URLSession, identifier: Int, request: LoadRequest?, delivery: TaskDelivery, resuming resumption: ResumePoint?,
    delegate: (any URLSessionTaskDelegate)?
  ) {
    self.resumption = resumption
    super.init(session: session, identifier: identifier, request: request, delivery: delivery, delegate: delegate)
    fields.withLock { $0.prefersIncrementalDelivery = false }
  }

  /// A task without a session, which can do nothing. Sessions make tasks.
  @available(*, deprecated, message: "Tasks are made by a URLSession.")
  public override init() {
    resumption = nil
    super.init()
  }

  /// Ends the task with `URLError.cancelled`, and keeps what has arrived for `URLSession.downloadTask(withResumeData:)`.
  ///
  /// The same data is in the error's `downloadTaskResumeData`. It is of use as long as the temporary folder keeps the file.
  /// - Parameter completionHandler: Called once, on the delegate queue; with nil if the download can't be resumed: nothing has arrived yet,
  ///   it has completed, the method isn't GET, or the server gave no validator (a strong `ETag`, or `Last-Modified`) or takes no ranges.
  @preconcurrency
  open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
    cancel(producingResumeData: completionHandler)
  }

  /// As `cancel(byProducingResumeData:)`; returns what the completion handler would be given.
  open func cancelByProducingResumeData() async -> Data? {
    await firstAnswer { cancel(byProducingResumeData: $0) }
  }

  override func makeDownload() -> Download? {
    guard let session else { return nil }
    return Download(
      folder: session.settings.downloadFolder ?? ResumeData.folder, resuming: resumption,
      isRepeated: session.settings.transferJournal != nil)
  }

  override var resumeDataKey: String? { NSURLSessionDownloadTaskResumeData }
}

extension URLSessionTask {
  /// Cancels the task, and calls `handler` once on the delegate queue with the resume data; with nil if the download or upload can't be resumed.
  func cancel(producingResumeData handler: @escaping @Sendable (Data?) -> Void) {
    let isOver = fields.withLock { fields in
      guard fields.state != .completed, session != nil else { return true }
      fields.resumeDataHandlers.append(handler)
      return false
    }
    guard !isOver else {
      if let session { session.pump.post { handler(nil) } } else { handler(nil) }
      return
    }
    cancel()
  }
}
