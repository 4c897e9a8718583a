import Foundation
import LoadingModel

/// Computes a task's `Progress` from its counts: bytes of the request's and the response's body.
enum TaskProgress {
  /// Held while a task's counts are written into its progress. One lock for all tasks: few have a progress.
  static let showing = Mutex(())

  /// The completed and total bytes that a progress shows; a total of -1 is indeterminate.
  struct Counts: Sendable {
    let completed: Int64
    let total: Int64

    init(_ fields: URLSessionTask.Fields) {
      // An upload's progress is determinate as soon as the body's length is known: the response's length comes much later.
      let known = fields.expectedToSend >= 0 && (fields.expectedToReceive >= 0 || fields.expectedToSend > 0)
      let isOver = fields.state == .completed && fields.error == nil
      completed = fields.sent &+ fields.received
      let (sum, isTooMuch) = fields.expectedToSend.addingReportingOverflow(max(0, fields.expectedToReceive))
      // When the task has succeeded, the total is the number of bytes moved, whatever length was expected.
      total = isOver ? max(completed, 1) : known && !isTooMuch ? max(sum, completed) : -1
    }

    func apply(to progress: LoadProgress) -> NotedChanges<ProgressValues> {
      progress.show(completed: total < 0 ? completed : total == 1 && completed == 0 ? 1 : completed, total: total)
    }
  }

  /// Length of `request`'s body in bytes, if it is known before the body is sent; `NSURLSessionTransferSizeUnknown` (-1) if not.
  static func expectedToSend(_ request: LoadRequest) -> Int64 {
    switch request.body {
    case .none: 0
    case .data(let body): Int64(body.count)
    case .parts(let parts, _, _): parts.length
    case .pieces(let pieces): pieces.length ?? NSURLSessionTransferSizeUnknown
    // Asking for the file's size would block on the disk: it is asked for when the file is sent, or by `noteLengthOfFile`.
    case .file: NSURLSessionTransferSizeUnknown
    case .stream, .suppliedStream:
      request.headers.first("Content-Length").flatMap { Int64($0) }.map { max($0, NSURLSessionTransferSizeUnknown) }
        ?? NSURLSessionTransferSizeUnknown
    }
  }

  /// - Parameter parent: The calling thread's current progress, of which the new one becomes a child; nil for none.
  static func make(for task: URLSessionTask, parent: Progress? = nil) -> LoadProgress {
    let progress = LoadProgress(parent: parent)
    progress.totalUnitCount = -1
    progress.kind = .file
    progress.isCancellable = true
    progress.isPausable = true
    progress.cancellationHandler = { [weak task] in task?.cancel() }
    progress.pausingHandler = { [weak task] in task?.suspend() }
    progress.resumingHandler = { [weak task] in task?.resume() }
    return progress
  }
}

extension URLSessionTask {
  /// Asks the file system for the size of the file that the task will upload, so that an app can read the length before the upload starts.
  final func noteLengthOfFile() {
    let file = fields.withLock { fields -> URL? in
      guard fields.expectedToSend < 0, case .unstarted = fields.lifecycle, case .file(let url, 0, nil)? = fields.upload?.sent.body else {
        return nil
      }
      return url
    }
    guard let file, file.isFileURL,
      let facts = try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path(percentEncoded: false)),
      facts[.type] as? FileAttributeType == .typeRegular, let size = facts[.size] as? NSNumber
    else { return }
    fields.withLock { fields in
      guard fields.expectedToSend < 0, case .unstarted = fields.lifecycle else { return }
      fields.expectedToSend = size.int64Value
    }
  }

  /// Makes the task's progress now, as a child of the progress that is current on the calling thread, if there is one.
  func joinCurrentProgress() {
    // Foundation keeps the current progress in the thread's dictionary. Where that is empty, asking would only convert the key of the entry.
    guard Thread.current.threadDictionary.count > 0, let parent = Progress.current() else { return }
    let made = TaskProgress.make(for: self, parent: parent)
    count { $0.progress = made }
  }

  /// Changes the byte counts, shows them in the progress if the app has asked for one, and tells the observers what has changed.
  func count(_ change: (inout Fields) -> Void) {
    let (progress, noted) = noting { fields in
      change(&fields)
      return fields.progress
    }
    let shown = progress?.noting(countsOf: self)
    tell(noted)
    if let progress, let shown { progress.tell(shown) }
  }

  func showCounts(in progress: LoadProgress) { progress.tell(progress.noting(countsOf: self)) }
}

extension LoadProgress {
  /// Shows the task's counts as they are now. The lock admits one thread at a time, so older counts never replace newer ones.
  fileprivate func noting(countsOf task: URLSessionTask) -> NotedChanges<ProgressValues> {
    TaskProgress.showing.withLock { _ in
      let counts = task.fields.withLock { TaskProgress.Counts($0) }
      return counts.apply(to: self)
    }
  }
}
