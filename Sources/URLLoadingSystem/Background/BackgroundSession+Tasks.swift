import BackgroundTransfers
import Foundation
import LoadingModel

// The tasks that the daemon carries.

extension BackgroundSession {
  /// A new task of the session: handed to the daemon, or refused with an error that says why. Data tasks run in the app's process.
  ///
  /// - Parameter resumeData: What an earlier task left, if this one resumes it.
  func admit(_ task: URLSessionTask, _ delivery: TaskDelivery, resumeData: Data?) {
    if let refusal = failure ?? unanswered {
      // It says more than that the session is invalid.
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
      // A session that is invalidated meanwhile has cancelled it.
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

  private static let largestRequest = 7 << 20

  /// The daemon is silent, and identifiers of new tasks unknown.
  private var unanswered: LoadError? { state.withLock { $0.attachment.beginning > .waiting } ? nil : BackgroundSession.silence }

  func change(_ task: URLSessionTask, _ change: (inout TransferChange) -> Void) {
    guard task.fields.withLock({ if case .carried = $0.lifecycle { true } else { false } }) else { return }
    var values = TransferChange()
    change(&values)
    values.description = values.description.map { TransferOrder.kept($0) ?? "" }
    send(.change(task: task.taskIdentifier, values), isByApp: true)
  }

  /// What was changed in the task while the daemon was away.
  func sendChanges(of task: URLSessionTask, since order: TransferOrder) {
    let change = TransferChange(of: task, since: order)
    if !change.isEmpty { send(.change(task: order.task, change)) }
  }

  // MARK: the end of the session

  /// The daemon takes no more tasks of the session. It is told behind the tasks that there are.
  func finish() {
    state.withLock { $0.finishing = .owed }
    sendFinish()
  }

  /// Tells the daemon of a finished session so, if it knows all its tasks.
  func sendFinish() {
    state.withLock { state in
      guard state.tellsFinish() else { return }
      state.attachment.link?.send(AppMessage.invalidate(cancelling: false))
    }
  }

  /// Ends every task with `URLError.cancelled`, here and in the daemon.
  func cancelAll(_ session: URLSession) {
    // Taken before the daemon is told: its answer ends this object, with what it still has.
    let tasks = state.withLock { state in
      if state.attachment.isInUse { state.owesInvalidation = true }
      return state.tasks.discardAll()
    }
    send(.invalidate(cancelling: true), isByApp: true)
    for task in tasks { TaskMirror(task: task, session: session).end(.cancelled()) }
  }

  /// The app has given the task a delegate of its own, which would end with the process.
  func refuseDelegate(of task: URLSessionTask) {
    end(task, BackgroundRefusals.taskDelegate)
  }

  // MARK: tasks of earlier processes

  func restore(_ transfer: TransferState, _ session: URLSession) {
    guard let task = EarlierTasks(session: session).task(transfer) else { return }
    state.withLock { $0.tasks.restore(task, task.taskIdentifier) }
  }
}
