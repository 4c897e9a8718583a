import Foundation
import LoadingModel

/// Ties a `Progress` to a task: body bytes to send and to receive, in bytes.
enum TaskProgress {
  /// Held while counts are shown. One for all tasks: few have a progress.
  static let showing = Mutex(())

  /// What the progress shows.
  struct Counts: Sendable {
    let completed: Int64
    let total: Int64

    init(_ fields: URLSessionTask.Fields) {
      // Of an upload, the length of what is sent is known long before that of the answer.
      let known = fields.expectedToSend >= 0 && (fields.expectedToReceive >= 0 || fields.expectedToSend > 0)
      let isOver = fields.state == .completed && fields.error == nil
      completed = fields.sent &+ fields.received
      let (sum, isTooMuch) = fields.expectedToSend.addingReportingOverflow(max(0, fields.expectedToReceive))
      // A length that turned out wrong, or unknown until the end, is what has been moved.
      total = isOver ? max(completed, 1) : known && !isTooMuch ? max(sum, completed) : -1
    }

    func apply(to progress: LoadProgress) -> NotedChanges<ProgressValues> {
      progress.show(completed: total < 0 ? completed : total == 1 && completed == 0 ? 1 : completed, total: total)
    }
  }

  /// Bytes that `request` has as its body, as far as that can be said before it is sent; -1 if not.
  static func expectedToSend(_ request: LoadRequest) -> Int64 {
    switch request.body {
    case .none: 0
    case .data(let body): Int64(body.count)
    case .parts(let parts, _, _): parts.length
    case .pieces(let pieces): pieces.length ?? NSURLSessionTransferSizeUnknown
    // A look at the file would wait for its disk: its size is known when it is sent, or asked for (`noteLengthOfFile`).
    case .file: NSURLSessionTransferSizeUnknown
    case .stream, .suppliedStream:
      request.headers.first("Content-Length").flatMap { Int64($0) }.map { max($0, NSURLSessionTransferSizeUnknown) }
        ?? NSURLSessionTransferSizeUnknown
    }
  }

  /// - Parameter parent: The calling thread's current progress, to become a part of it.
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
  /// Looks how long the file is that the task will upload, for an app that asks before it is sent.
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

  /// Makes the task's progress now if the thread that makes the task has a progress that is current: it becomes a part of that one.
  func joinCurrentProgress() {
    guard let parent = Progress.current() else { return }
    let made = TaskProgress.make(for: self, parent: parent)
    count { $0.progress = made }
  }

  /// Changes the counts, shows them in the progress, if one has been asked for, and tells what is observed.
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
  /// One thread at a time, each with the counts of that moment: older ones never replace newer ones.
  fileprivate func noting(countsOf task: URLSessionTask) -> NotedChanges<ProgressValues> {
    TaskProgress.showing.withLock { _ in
      let counts = task.fields.withLock { TaskProgress.Counts($0) }
      return counts.apply(to: self)
    }
  }
}
