import BackgroundTransfers
import Foundation
import URLLoadingSystem

/// The `URLSession` that carries the transfers of one app session: with the app's settings and stores. Confined to the daemon's queue.
final class EngineSession: @unchecked Sendable {
  // @unchecked: immutable, but for the delegate's table of runs, which is confined to the daemon's queue.

  /// The app's encoded configuration from which the session was made, to notice that the app has changed it.
  let configuration: Data
  private let session: URLSession
  private let delegate: RunDelegate
  private let journal: PartJournal

  /// nil if the app's configuration can't be decoded.
  init?(_ terms: SessionTerms, _ runner: TransferRunner) {
    guard let settings = BackgroundConfiguration(encoded: terms.configuration) else { return nil }
    configuration = terms.configuration
    delegate = RunDelegate(runner)
    journal = PartJournal(runner, delegate)
    let made = settings.make(for: terms.app)
    made.downloadFolder = runner.context.places.files
    made.transferJournal = journal
    made.networkObserver = runner.options.network
    session = URLSession(configuration: made, delegate: delegate, delegateQueue: nil)
  }

  var isUnused: Bool { delegate.runs.isEmpty }

  /// Makes a task for a new attempt of the transfer; the caller resumes it.
  /// - Throws: The error that ends the transfer: a request or a URL that can't be used.
  func makeRun(_ transfer: TransferQueue.Transfer) throws(Fault) -> TransferRun {
    let order = transfer.order
    guard let request = BackgroundCoding.request(order.request) else {
      throw Fault(.badURL, "The request can't be read: app and daemon may be of different versions.")
    }
    guard EngineSession.carries(request.url) else { throw EngineSession.otherScheme }
    let resumeData = transfer.resumeData ?? order.resumeData
    let task: URLSessionTask
    switch (order.kind, resumeData) {
    case (.download, let data?): task = session.downloadTask(withResumeData: data)
    case (.download, nil): task = session.downloadTask(with: request)
    case (.upload, _): task = try makeUpload(request, order, resumeData)
    }
    // Resume data has a URL of its own, which is checked as well. Damaged resume data has none, and fails when the task begins.
    if let url = task.originalRequest?.url, !EngineSession.carries(url) {
      task.cancel()
      throw EngineSession.otherScheme
    }
    if resumeData != nil { task.attachCookies(of: request) }
    task.priority = order.priority
    // The response body of an upload is delivered as the server sent it.
    task.keepBodyWhole()
    let run = TransferRun(transfer, task, self, resumesKept: transfer.resumeData != nil)
    delegate.runs[task.taskIdentifier] = run
    return run
  }

  private func makeUpload(_ request: URLRequest, _ order: TransferOrder, _ resumeData: Data?) throws(Fault) -> URLSessionUploadTask {
    if let resumeData {
      let task = session.uploadTask(withResumeData: resumeData)
      // Resume data that a daemon of another version has kept can't be read: the upload begins from the start of its file.
      if task.originalRequest?.url != nil || order.source == nil { return task }
      task.cancel()
    }
    guard let source = order.source else { throw Fault(.badURL, "An upload of a background session needs a file.") }
    return session.uploadTask(with: request, fromFile: URL(filePath: source.path, directoryHint: .notDirectory))
  }

  /// Whether the URL is one of http or https, the schemes that background sessions load.
  static func carries(_ url: URL?) -> Bool { ["http", "https"].contains(url?.scheme?.lowercased()) }

  private static var otherScheme: Fault { Fault(.unsupportedURL, "Background sessions load http and https URLs only.") }

  /// Closes the session's connections when its last task has completed.
  func invalidate() { session.finishTasksAndInvalidate() }

  struct Fault: Error {
    let value: ErrorValue

    init(_ code: URLErrorValue.Code, _ text: String) { value = URLErrorValue.make(code, text) }
  }
}

/// Stores in the daemon's database, while tasks run, the resume data by which a later daemon could continue them.
final class PartJournal: TransferJournal, @unchecked Sendable {
  // @unchecked: `delegate` is used on the daemon's queue alone; the references don't change.
  private weak var runner: TransferRunner?
  private weak var delegate: RunDelegate?

  init(_ runner: TransferRunner, _ delegate: RunDelegate) {
    self.runner = runner
    self.delegate = delegate
  }

  func keep(resumeData: Data, of task: URLSessionTask) {
    let identifier = task.taskIdentifier
    runner?.loop.async { [self] in
      guard let run = delegate?.runs[identifier] else { return }
      runner?.keep(resumeData: resumeData, of: run)
    }
  }
}
