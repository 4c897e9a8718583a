import BackgroundTransfers
import Foundation
import LoadingModel

// The tasks that the daemon carries.

extension BackgroundSession {
  /// A new task of the session: handed to the daemon, or refused with an error that says why. Data tasks run in the app's process.
  ///
  /// - Parameter resumeData: What an earlier task left, if this one resumes it.
  func admit(_ task: URLSessionTask, _ delivery: TaskDelivery, resumeData: Data? = nil) {
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
    let source = task is URLSessionUploadTask ? try SourceFile(of: task.original?.body) : nil
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
    guard order.request.count < BackgroundSession.largestRequest else {
      throw LoadError(
        .dataLengthExceedsMaximum, .admission,
        "the request is larger than 5 MiB, which the daemon keeps in its queue: upload larger bodies from files")
    }
    task.fields.withLock { fields in
      if case .unstarted = fields.lifecycle { fields.lifecycle = .carried }
    }
    state.withLock { $0.tasks.add(task, task.taskIdentifier) }
    sendCreation(of: task, order)
  }

  /// In bytes, encoded: with what else a message has it stays below `MessageLink.maximumMessage`.
  private static let largestRequest = 7 << 20

  /// The daemon is silent, and identifiers of new tasks unknown.
  private var unanswered: LoadError? { state.withLock { $0.beginning > .waiting } ? nil : BackgroundSession.silence }

  func change(_ task: URLSessionTask, _ change: (inout TransferChange) -> Void) {
    guard task.fields.withLock({ if case .carried = $0.lifecycle { true } else { false } }) else { return }
    var values = TransferChange()
    change(&values)
    send(.change(task: task.taskIdentifier, values), isByApp: true)
  }

  /// What was changed in the task while the daemon was away.
  func sendChanges(of task: URLSessionTask, since order: TransferOrder) {
    let now = task.fields.withLock { $0 }
    var change = TransferChange()
    if now.taskDescription != order.description { change.description = now.taskDescription ?? "" }
    if now.priority != order.priority { change.priority = now.priority }
    if now.earliestBeginDate != order.earliestBegin { change.earliestBegin = now.earliestBeginDate ?? .distantPast }
    if now.clientExpectsToSend != order.expectsToSend { change.expectsToSend = now.clientExpectsToSend }
    if now.clientExpectsToReceive != order.expectsToReceive { change.expectsToReceive = now.clientExpectsToReceive }
    if !change.isEmpty { send(.change(task: order.task, change)) }
  }

  // MARK: the end of the session

  /// Ends every task with `URLError.cancelled`, here and in the daemon.
  func cancelAll(_ session: URLSession) {
    // Taken before the daemon is told: its answer ends this object, with what it still has.
    let tasks = state.withLock { state in
      switch state.phase {
      case .attaching, .attached: state.owesInvalidation = true
      case .failed, .ended: break
      }
      return state.tasks.discardAll()
    }
    send(.invalidate(cancelling: true), isByApp: true)
    for task in tasks { close(task, session, LoadError.cancelled()) }
  }

  /// The app has given the task a delegate of its own, which would end with the process.
  func refuseDelegate(of task: URLSessionTask) {
    end(task, BackgroundRefusals.taskDelegate)
  }

  /// Ends a task here with `error`; the daemon has nothing to say about it any more.
  func close(_ task: URLSessionTask, _ session: URLSession, _ error: LoadError) {
    let chain = task.chain
    let failure = error.urlError(failingURL: task.originalRequest?.url)
    for handler in close(task, failure) { session.pump.post { handler(nil) } }
    session.pump.post {
      chain.didComplete(session, task, failure)
      if session.registry.remove(task) { session.becomeInvalid() }
    }
  }

  // MARK: tasks of earlier processes

  func restore(_ transfer: TransferState, _ session: URLSession) {
    guard let task = makeTask(transfer, session) else { return }
    state.withLock { $0.tasks.restore(task, task.taskIdentifier) }
  }

  /// nil if the daemon's record can't be read, or the session takes no tasks any more.
  func makeTask(_ transfer: TransferState, _ session: URLSession) -> URLSessionTask? {
    let order = transfer.order
    guard var request = BackgroundCoding.request(order.request)?.load else { return nil }
    if let source = order.source { request.mutate { $0.body = .file(URL(filePath: source.path, directoryHint: .notDirectory)) } }
    let task = newTask(order.task, order.kind, request, session)
    task.fields.withLock { fields in
      fields.carried = CarriedFields(source: order.source, resumeData: order.resumeData)
      fields.suspensions = transfer.isSuspended ? 1 : 0
      fields.state = transfer.isSuspended ? .suspended : .running
      fields.taskDescription = order.description
      fields.priority = order.priority
      fields.earliestBeginDate = order.earliestBegin
      fields.clientExpectsToSend = order.expectsToSend
      fields.clientExpectsToReceive = order.expectsToReceive
      fields.response = transfer.response.flatMap { BackgroundCoding.response($0) }
      fields.sent = transfer.progress.sent
      fields.received = transfer.progress.received
      fields.expectedToSend = transfer.progress.expectedToSend
      fields.expectedToReceive = transfer.progress.expectedToReceive
    }
    guard session.registry.addLate(task) else { return nil }
    return task
  }

  /// A task that the daemon carries, or has carried.
  func newTask(_ identifier: Int, _ kind: TransferOrder.Kind, _ request: LoadRequest?, _ session: URLSession) -> URLSessionTask {
    let task: URLSessionTask =
      switch kind {
      case .download:
        URLSessionDownloadTask(
          session: session, identifier: identifier, request: request, delivery: .delegate, resuming: nil, delegate: nil)
      case .upload: URLSessionUploadTask(session: session, identifier: identifier, request: request, delivery: .delegate)
      }
    task.fields.withLock { fields in
      fields.lifecycle = .carried
      fields.suspensions = 0
      fields.state = .running
    }
    return task
  }
}
