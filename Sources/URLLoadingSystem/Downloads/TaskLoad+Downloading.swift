import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import NIOCore

// Loads into a file: what is reported on the way, and how the file is delivered.

extension TaskLoad: Downloading {
  func head(of response: LoadResponse) -> ResponseHead? {
    if case .native = response.kind { return (URLResponse.make(response) as? HTTPURLResponse)?.head }
    return response.httpHead
  }

  /// The body is about to come: there must be a file for it.
  nonisolated(nonsending) func open(_ download: Download) async throws(LoadError) {
    guard let loaded = context.record.response else { return }
    try await download.open(loaded, self, context)
    let (offset, expected) = (download.offset, download.expectedLength)
    task.count { fields in
      fields.received = offset
      fields.expectedToReceive = expected
    }
    keepForResumption(download)
    guard reportsDownload, let downloadTask = task as? URLSessionDownloadTask else { return }
    let (chain, session) = (chain, session)
    if chain.mayImplement(.didWriteData) { writeReport = WriteReport(total: offset) }
    if download.isResumption, chain.mayImplement(.didResumeDownload) {
      pump.post { chain.didResume(session, downloadTask, atOffset: offset, expected: expected) }
    }
  }

  /// Whether the delegate is told how far the file has come.
  private var reportsDownload: Bool {
    switch delivery {
    case .delegate: true
    case .fileContinuation: session.settings.reportsAsyncDownloads
    case .completion, .awaited, .continuation, .bytes, .file: false
    }
  }

  /// Says what a later process needs if this one is killed.
  private func keepForResumption(_ download: Download) {
    guard let journal = session.settings.transferJournal, let point = download.pointIfKilled, let request = task.originalRequest,
      let data = ResumeData(point, request: request).data
    else { return }
    journal.keep(resumeData: data, of: task)
  }

  nonisolated(nonsending) func write(_ body: ByteBuffer, to download: Download) async throws(LoadError) {
    try await download.append(body, context)
    didStore(bytes: body.readableBytes)
  }

  func didStore(bytes: Int) {
    guard let download else { return }
    let count = Int64(bytes)
    task.count { $0.received += count }
    guard let writeReport, writeReport.add(count), let downloadTask = task as? URLSessionDownloadTask else { return }
    let (chain, session, expected) = (chain, session, download.expectedLength)
    pump.post {
      let (bytes, total) = writeReport.take()
      chain.didWriteData(session, downloadTask, bytes: bytes, total: total, expected: expected)
    }
  }

  /// The delegate wants the rest of a data task's body as a file. The load stays what it is; another task has it from now on.
  nonisolated(nonsending) func becomeDownload(_ dataTask: URLSessionDataTask) async throws(LoadError) {
    let downloadTask = URLSessionDownloadTask(
      session: session, identifier: session.registry.nextIdentifier(), request: dataTask.originalRequest?.load,
      delivery: .delegate, resuming: nil, delegate: nil)
    handOver(dataTask, to: downloadTask)
    let (chain, session) = (chain, session)
    pump.post { chain.didBecome(session, dataTask, downloadTask) }
    guard let download = downloadTask.makeDownload() else { return }
    if let request = dataTask.originalRequest?.load { download.take(request) }
    self.download = download
    try await open(download)
  }

  // MARK: the end

  /// To the delegate, which must move the file before it returns.
  func postFile(_ download: Download) {
    guard let file = download.handOver(), let downloadTask = task as? URLSessionDownloadTask else { return }
    let (chain, session) = (chain, session)
    pump.post {
      chain.didFinishDownloading(session, downloadTask, to: file)
      TaskLoad.remove(file)
    }
  }

  func completeFile(_ error: (any Error)?, _ metrics: URLSessionTaskMetrics?) {
    let (response, delivery) = (response, delivery)
    let file = error == nil ? download?.handOver() : nil
    post(metrics)
    pump.post {
      switch delivery {
      case .file(let handler):
        handler(file, response, error)
        if let file { TaskLoad.remove(file) }
      case .fileContinuation(let continuation):
        if let file, let response {
          continuation.resume(returning: (file, response))
        } else {
          continuation.resume(throwing: error ?? URLError(.unknown))
        }
      case .delegate, .completion, .awaited, .continuation, .bytes: break
      }
    }
  }

  /// On the delegate queue, so that the file is removed when the task's last message comes, as Apple documents.
  private static func remove(_ file: URL) {
    unlink(file.path(percentEncoded: false))
  }
}
