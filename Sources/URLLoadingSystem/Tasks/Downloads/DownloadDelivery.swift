import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import NIOCore

/// A download as the app sees it: progress messages to the delegate, and the finished file.
///
/// Owned by its `TaskLoad`, which it doesn't outlive; confined to the session's event loop, except for the closures it posts to the delegate queue.
final class DownloadDelivery: Downloading, @unchecked Sendable {
  // @unchecked: `writeReport` is confined to the session's event loop; the rest is immutable.

  private let file: Download
  // `unowned`: the load owns this object.
  private unowned let load: TaskLoad
  /// Counts the written bytes that the delegate hasn't been told of; nil if the delegate isn't to be told.
  private var writeReport: WriteReport?

  init(_ file: Download, of load: TaskLoad) {
    self.file = file
    self.load = load
  }

  var download: Download? { file }

  func head(of response: LoadResponse) -> ResponseHead? {
    if case .native = response.kind { return (URLResponse.make(response) as? HTTPURLResponse)?.head }
    return response.httpHead
  }

  /// Creates or reopens the download's file before the body arrives.
  nonisolated(nonsending) func open() async throws(LoadError) {
    let context = load.context
    let url = context.record.request.url ?? URL(filePath: "/")
    let loaded = context.record.response ?? LoadResponse(url: url, kind: .absent, expectedLength: -1)
    try await file.open(loaded, load, load.context)
    let (offset, expected) = (file.offset, file.expectedLength)
    load.task.count { fields in
      fields.received = offset
      fields.expectedToReceive = expected
    }
    keepForResumption()
    guard reportsProgress, let downloadTask = load.task as? URLSessionDownloadTask else { return }
    let (chain, session) = (load.chain, load.session)
    if chain.mayImplement(.didWriteData) { writeReport = WriteReport(total: offset) }
    if file.isResumption, chain.mayImplement(.didResumeDownload) {
      load.pump.post { chain.didResume(session, downloadTask, atOffset: offset, expected: expected) }
    }
  }

  /// Whether the delegate is told how many bytes have been written.
  private var reportsProgress: Bool {
    switch load.delivery {
    case .delegate: true
    case .fileContinuation: load.session.settings.reportsAsyncDownloads
    case .completion, .awaited, .continuation, .bytes, .file: false
    }
  }

  /// Writes resume data into the transfer journal, so that a later process can resume the download if this one is killed.
  private func keepForResumption() {
    guard let journal = load.session.settings.transferJournal, let point = file.pointIfKilled, let request = load.task.originalRequest,
      let data = ResumeData(point, request: request).data
    else { return }
    journal.keep(resumeData: data, of: load.task)
  }

  nonisolated(nonsending) func write(_ body: ByteBuffer) async throws(LoadError) {
    try await file.append(body, load.context)
    didStore(bytes: body.readableBytes)
  }

  func didStore(bytes: Int) {
    let count = Int64(bytes)
    load.task.count { $0.received += count }
    guard let writeReport, writeReport.add(count), let downloadTask = load.task as? URLSessionDownloadTask else { return }
    let (chain, session, expected) = (load.chain, load.session, file.expectedLength)
    load.pump.post {
      let (bytes, total) = writeReport.take()
      chain.didWriteData(session, downloadTask, bytes: bytes, total: total, expected: expected)
    }
  }

  // MARK: The end

  /// Gives the file to the delegate, which must move it before `didFinishDownloadingTo` returns: then it is removed.
  func postFile() {
    guard let url = file.handOver(), let downloadTask = load.task as? URLSessionDownloadTask else { return }
    let (chain, session) = (load.chain, load.session)
    load.pump.post {
      chain.didFinishDownloading(session, downloadTask, to: url)
      DownloadDelivery.remove(url)
    }
  }

  /// Called on the delegate queue, so that the file still exists until `didFinishDownloadingTo` or the completion handler has returned, as Apple
  /// documents.
  static func remove(_ url: URL) {
    unlink(url.path(percentEncoded: false))
  }
}

extension TaskLoad {
  /// Turns a data task into a download task when the delegate answers its response with `.becomeDownload`. The load goes on; it belongs to the new
  /// task from now on.
  nonisolated(nonsending) func becomeDownload(_ dataTask: URLSessionDataTask) async throws(LoadError) {
    let downloadTask = URLSessionDownloadTask(
      session: session, identifier: session.registry.nextIdentifier(), request: dataTask.originalRequest?.load,
      delivery: .delegate, resuming: nil, delegate: nil)
    handOver(dataTask, to: downloadTask)
    let (chain, session) = (chain, session)
    pump.post { chain.didBecome(session, dataTask, downloadTask) }
    guard let download = downloadTask.makeDownload() else { return }
    if let request = dataTask.originalRequest?.load { download.take(request) }
    let delivery = DownloadDelivery(download, of: self)
    file = delivery
    try await delivery.open()
  }

  /// Passes the finished file, or the error, to the completion handler or the awaiting caller.
  func completeFile(_ error: (any Error)?, _ metrics: URLSessionTaskMetrics?) {
    let (response, delivery) = (response, delivery)
    let url = error == nil ? file?.download?.handOver() : nil
    post(metrics)
    pump.post {
      switch delivery {
      case .file(let handler):
        handler(url, response, error)
        if let url { DownloadDelivery.remove(url) }
      case .fileContinuation(let continuation):
        if let url, let response {
          continuation.resume(returning: (url, response))
        } else {
          continuation.resume(throwing: error ?? URLError(.unknown))
        }
      case .delegate, .completion, .awaited, .continuation, .bytes: break
      }
    }
  }
}
