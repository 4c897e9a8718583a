import Foundation
import LoadingEngine
import LoadingModel

extension URLSession {
  /// Loads `request` into a file, which is the caller's to move or remove.
  ///
  /// Cancelling the Swift task cancels the load and throws `URLError.cancelled`. An HTTP status of 400 and above isn't an error: what the
  /// server sent with it is in the file.
  /// - Parameter delegate: Asked and told before the session's delegate about challenges, redirects and metrics; not about the file.
  /// - Throws: `URLError`; its `downloadTaskResumeData` resumes a download that broke.
  public func download(for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (URL, URLResponse) {
    try await finish(makeDownloadTask(request.load, .awaited, delegate: delegate))
  }

  /// Loads `url` with GET into a file, which is the caller's to move or remove.
  /// - Throws: `URLError`; its `downloadTaskResumeData` resumes a download that broke.
  public func download(from url: URL, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (URL, URLResponse) {
    try await finish(makeDownloadTask(LoadRequest(url: url), .awaited, delegate: delegate))
  }

  /// Resumes an earlier download; the file is the caller's to move or remove. It holds the whole resource in any case: one that has
  /// changed is loaded anew.
  /// - Parameter resumeData: From `cancel(byProducingResumeData:)` or an error's `downloadTaskResumeData`.
  /// - Throws: `URLError`, with new resume data if that broke as well; `unsupportedURL` if `resumeData` isn't resume data.
  public func download(resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (URL, URLResponse) {
    try await finish(makeDownloadTask(resumeData, .awaited, delegate: delegate))
  }

  private func finish(_ task: URLSessionDownloadTask) async throws -> (URL, URLResponse) {
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { task.begin(.fileContinuation($0)) }
    } onCancel: {
      task.cancel()
    }
  }

  func makeDownloadTask(
    _ request: LoadRequest, _ delivery: TaskDelivery, resuming resumption: ResumePoint? = nil, resumeData: Data? = nil,
    refusal: LoadError? = nil, delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionDownloadTask {
    let identifier = nextTaskIdentifier()
    let task = URLSessionDownloadTask(
      session: self, identifier: identifier, request: request, delivery: delivery, resuming: resumption, delegate: delegate)
    if delivery.hasCaller { task.joinCurrentProgress() }
    if let refusal { task.fields.withLock { $0.refusal = refusal } }
    if !registry.add(task) { task.refuse() }
    background?.admit(task, delivery, resumeData: resumeData)
    announce(task)
    return task
  }

  func makeDownloadTask(
    _ resumeData: Data, _ delivery: TaskDelivery, delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionDownloadTask {
    guard let parsed = ResumeData(resumeData) else {
      let refusal = LoadError(
        .unsupportedURL, .admission,
        "the resume data isn't what cancel(byProducingResumeData:) or an error's downloadTaskResumeData gave: download anew")
      return makeDownloadTask(LoadRequest(url: nil), delivery, refusal: refusal, delegate: delegate)
    }
    let point = parsed.point(in: settings.downloadFolder ?? ResumeData.folder)
    return makeDownloadTask(parsed.request.load, delivery, resuming: point, resumeData: resumeData, delegate: delegate)
  }
}
