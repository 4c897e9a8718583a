import BackgroundTransfers
import Foundation
import LoadingModel

// The tasks that the daemon carries.

extension BackgroundSession {
  /// What the app did to a task.
  enum Act {
    case resume
    case suspend
    case cancel
  }

  /// A new task of the session: handed to the daemon, or refused with an error that says why. Data tasks run in the app's process.
  ///
  /// - Parameter resumeData: What an earlier task left, if this one resumes it.
  func admit(_ task: URLSessionTask, _ delivery: TaskDelivery, resumeData: Data? = nil) {
    if let refusal = BackgroundRefusals.refusal(task, delivery) ?? failure {
      return task.fields.withLock { $0.refusal = $0.refusal ?? refusal }
    }
    guard task is URLSessionDownloadTask || task is URLSessionUploadTask, task.fields.withLock({ $0.refusal == nil }) else { return }
    var source: SourceFile?
    if task is URLSessionUploadTask {
      do throws(LoadError) {
        source = try SourceFile(of: task.original?.body)
      } catch {
        let refusal = error
        return task.fields.withLock { $0.refusal = refusal }
      }
    }
    task.fields.withLock { fields in
      fields.lifecycle = .carried
      fields.carried = CarriedFields(source: source, resumeData: resumeData)
      if let source { fields.expectedToSend = source.size }
    }
    state.withLock { state in
      state.tasks[task.taskIdentifier] = task
      state.known.insert(task.taskIdentifier)
    }
    sendCreation(of: task)
  }

  private var failure: LoadError? {
    state.withLock { state in
      if case .failed(let error) = state.phase { error } else { nil }
    }
  }

  func perform(_ act: Act, _ task: URLSessionTask) {
    switch act {
    case .resume: send(.resume(task: task.taskIdentifier), isByApp: true)
    case .suspend: send(.suspend(task: task.taskIdentifier), isByApp: true)
    case .cancel: sendCancellation(of: task, isByApp: true)
    }
  }

  func change(_ task: URLSessionTask, _ change: (inout TransferChange) -> Void) {
    guard task.fields.withLock({ if case .carried = $0.lifecycle { true } else { false } }) else { return }
    var values = TransferChange()
    change(&values)
    send(.change(task: task.taskIdentifier, values))
  }

  func sendCancellation(of task: URLSessionTask, isByApp: Bool = false) {
    let wantsResumeData = task.fields.withLock { !$0.resumeDataHandlers.isEmpty }
    send(.cancel(task: task.taskIdentifier, wantsResumeData: wantsResumeData), isByApp: isByApp)
  }

  /// The task, and its state if that has changed.
  func sendCreation(of task: URLSessionTask) {
    guard let order = TransferOrder(task) else { return }
    send(.create(order))
    switch task.state {
    case .running: send(.resume(task: task.taskIdentifier))
    case .canceling: sendCancellation(of: task)
    case .suspended, .completed: break
    }
  }

  /// Tells the daemon. Where it is away, it is told by what the tasks are when it is back.
  ///
  /// - Parameter isByApp: Whether the app's own thread has called: the message leaves the process before this returns, as far as the
  ///   daemon reads, so that the process may end then.
  func send(_ message: AppMessage, isByApp: Bool = false) {
    let link: MessageLink? = state.withLock { state in
      guard case .attached(let link) = state.phase else { return nil }
      link.send(message)
      return link
    }
    if isByApp { link?.waitUntilWritten() }
  }

  // MARK: the end of the session

  /// Ends every task with `URLError.cancelled`, here and in the daemon.
  func cancelAll(_ session: URLSession) {
    send(.invalidate(cancelling: true), isByApp: true)
    let tasks = state.withLock { state in
      defer { state.tasks = [:] }
      return state.tasks.values.sorted { $0.taskIdentifier < $1.taskIdentifier }
    }
    for task in tasks { close(task, session, LoadError.cancelled()) }
  }

  /// The app has given the task a delegate of its own, which would end with the process.
  func refuseDelegate(of task: URLSessionTask) {
    let session = state.withLock { state in
      state.tasks[task.taskIdentifier] = nil
      state.discarded.insert(task.taskIdentifier)
      return state.session
    }
    send(.cancel(task: task.taskIdentifier, wantsResumeData: false))
    if let session { close(task, session, BackgroundRefusals.taskDelegate) }
  }

  /// Ends a task here with `error`; the daemon has nothing to say about it any more.
  private func close(_ task: URLSessionTask, _ session: URLSession, _ error: LoadError) {
    let chain = task.chain
    let failure = error.urlError(failingURL: task.originalRequest?.url)
    var waiting: [@Sendable (Data?) -> Void] = []
    task.count { fields in
      fields.state = .completed
      fields.lifecycle = .ended
      fields.error = failure
      fields.chain = DelegateChain()
      waiting = fields.resumeDataHandlers
      fields.resumeDataHandlers = []
    }
    for handler in waiting { session.pump.post { handler(nil) } }
    let wasLast = session.registry.remove(task)
    session.pump.post {
      chain.didComplete(session, task, failure)
      if wasLast { session.becomeInvalid() }
    }
  }

  // MARK: tasks of earlier processes

  func restore(_ transfer: TransferState, _ session: URLSession) {
    guard let task = makeTask(transfer, session) else { return }
    state.withLock { $0.tasks[task.taskIdentifier] = task }
  }

  /// nil if the daemon's record can't be read, or the session takes no tasks any more.
  func makeTask(_ transfer: TransferState, _ session: URLSession) -> URLSessionTask? {
    let order = transfer.order
    guard var request = BackgroundCoding.request(order.request)?.load else { return nil }
    if let source = order.source { request.mutate { $0.body = .file(URL(filePath: source.path, directoryHint: .notDirectory)) } }
    let task: URLSessionTask =
      switch order.kind {
      case .download:
        URLSessionDownloadTask(
          session: session, identifier: order.task, request: request, delivery: .delegate, resuming: nil, delegate: nil)
      case .upload: URLSessionUploadTask(session: session, identifier: order.task, request: request, delivery: .delegate)
      }
    task.fields.withLock { fields in
      fields.lifecycle = .carried
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
    guard session.registry.add(task) else { return nil }
    return task
  }
}
