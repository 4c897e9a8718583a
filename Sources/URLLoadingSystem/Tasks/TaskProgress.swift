import Foundation

/// Ties a `Progress` to a task: body bytes to send and to receive, in bytes.
enum TaskProgress {
  /// What the progress shows.
  struct Counts: Sendable {
    let completed: Int64
    let total: Int64

    init(_ fields: URLSessionTask.Fields) {
      let known = fields.expectedToReceive >= 0 && fields.expectedToSend >= 0
      let isOver = fields.state == .completed && fields.error == nil
      completed = fields.sent &+ fields.received
      let (sum, isTooMuch) = fields.expectedToSend.addingReportingOverflow(fields.expectedToReceive)
      // A length that turned out wrong, or unknown until the end, is what has been moved.
      total = isOver ? max(completed, 1) : known && !isTooMuch ? max(sum, completed) : -1
    }

    func apply(to progress: Progress) {
      progress.totalUnitCount = total
      progress.completedUnitCount = total < 0 ? completed : total == 1 && completed == 0 ? 1 : completed
    }
  }

  static func make(for task: URLSessionTask) -> Progress {
    let progress = Progress(totalUnitCount: -1)
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
  /// Changes the counts and shows them in the progress, if anyone asked for one.
  func count(_ change: (inout Fields) -> Void) {
    let (progress, counts) = fields.withLock { fields -> (Progress?, TaskProgress.Counts?) in
      change(&fields)
      guard let progress = fields.progress else { return (nil, nil) }
      return (progress, TaskProgress.Counts(fields))
    }
    if let progress, let counts { counts.apply(to: progress) }
  }
}
