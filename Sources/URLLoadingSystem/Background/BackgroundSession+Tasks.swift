import BackgroundTransfers
import Foundation
import LoadingModel

// New tasks of a background session, which the daemon carries.

extension BackgroundSession {
  /// Takes a new upload or download task of the session: it is handed to the daemon, or refused with an error. Data tasks run in the app's process.
  ///
  /// - Parameter resumeData: The resume data of an earlier task, if this one resumes it.
  func admit(_ task: URLSessionTask, _ delivery: TaskDelivery, resumeData: Data?) {
    if let refusal = failure ?? unanswered {
      // The session's own failure replaces the refusal that is already there: it says more than that the session is invalid.
      return task.fields.withLock { $0.refusal = refusal }
    }
    if let refusal = BackgroundRefusals.refusal(task, delivery) {
      return task.fields.withLock { $0.refusal = $0.refusal ?? refusal }
    }
    guard task is URLSessionDownloadTask || task is URLSessionUploadTask, task.fields.withLock({ $0.refusal == nil }) else { return }
    do throws(LoadError) {
      try carry(task, resumeData)
    } catch {
      let refusal = error
      task.fields.withLock { $0.refusal = refusal }
    }
  }

  private func carry(_ task: URLSessionTask, _ resumeData: Data?) throws(LoadError) {
    let source = task is URLSessionUploadTask ? try SourceFile(of: task.firstRequest?.body) : nil
    let isCarried = task.fields.withLock { fields in
      // `invalidateAndCancel()` on another thread may have cancelled the task meanwhile.
      guard case .unstarted = fields.lifecycle else { return false }
      fields.carried = CarriedFields(source: source, resumeData: resumeData)
      if let source { fields.expectedToSend = source.size }
      return true
    }
    guard isCarried else { return }
    guard let order = TransferOrder(task) else {
      throw LoadError(.badURL, .admission, "the request can't be encoded: check its URL and its fields")
    }
    try order.checkSize(with: resumeData)
    task.fields.withLock { fields in
      if case .unstarted = fields.lifecycle { fields.lifecycle = .carried }
    }
    state.withLock { $0.tasks.add(task, task.taskIdentifier) }
    sendCreation(of: task, order)
  }

  /// The error of a daemon that doesn't answer: identifiers of new tasks aren't known then.
  private var unanswered: LoadError? { state.withLock { $0.attachment.beginning > .waiting } ? nil : BackgroundSession.silence }

  func change(_ task: URLSessionTask, _ change: (inout TransferChange) -> Void) {
    guard task.fields.withLock({ if case .carried = $0.lifecycle { true } else { false } }) else { return }
    var values = TransferChange()
    change(&values)
    values.description = values.description.map { TransferOrder.kept($0) ?? "" }
    send(.change(task: task.taskIdentifier, values), isByApp: true)
  }

  /// Sends the properties of the task that the app has changed while the daemon was away.
  func sendChanges(of task: URLSessionTask, since order: TransferOrder) {
    let change = TransferChange(of: task, since: order)
    if !change.isEmpty { send(.change(task: order.task, change)) }
  }

  // MARK: The end of the session

  /// Has the daemon told that the session takes no more tasks, after it has been sent all of them.
  func finish() {
    state.withLock { $0.finishing = .owed }
    sendFinish()
  }

  /// Tells the daemon that the session takes no more tasks, if that is due and it knows all of the tasks.
  func sendFinish() {
    state.withLock { state in
      guard state.tellsFinish() else { return }
      state.attachment.link?.send(AppMessage.invalidate(cancelling: false))
    }
  }

  /// Ends every task with `URLError.cancelled`, here and in the daemon.
  func cancelAll(_ session: URLSession) {
    // Taken out before the daemon is told: its answer calls `end()`, which empties the table.
    let tasks = state.withLock { state in
      if state.attachment.isInUse { state.owesInvalidation = true }
      return state.tasks.discardAll()
    }
    send(.invalidate(cancelling: true), isByApp: true)
    for task in tasks { TaskMirror(task: task, session: session).end(.cancelled()) }
  }

  /// Ends the task with an error because the app has given it a delegate of its own, which would be lost with the process.
  func refuseDelegate(of task: URLSessionTask) {
    end(task, BackgroundRefusals.taskDelegate)
  }

  // MARK: Tasks of earlier processes

  func restore(_ transfer: TransferState, _ session: URLSession) {
    guard let task = EarlierTasks(session: session).task(transfer) else { return }
    state.withLock { $0.tasks.restore(task, task.taskIdentifier) }
  }
}
