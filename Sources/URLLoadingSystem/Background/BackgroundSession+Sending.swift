import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation
import LoadingModel

// What the daemon is told. What the app's own thread has asked for has left the process when the app's call returns, so that the process
// may end then.

extension BackgroundSession {
  /// Bytes that may wait for the daemon before a thread that makes tasks waits for it, and that are sent at once to a daemon that has come
  /// back.
  private static let portion = 1 << 20
  /// Seconds in which a daemon that was lost must be back, while a thread of the app's waits for it.
  private static let returnPatience = 10.0
  /// Seconds between two looks at a daemon that hasn't answered.
  private static let look = 0.25

  static let silence = LoadError(
    .backgroundSessionWasDisconnected, .admission,
    "urlsessiond runs but doesn't answer; see what it does, or end it: it is started again when it is needed")

  static let absence = LoadError(
    .backgroundSessionWasDisconnected, .admission, "urlsessiond has ended and can't be started again; run it to see why")

  // MARK: the first answer

  /// Waits until the daemon has answered for the first time: identifiers of tasks continue those of earlier processes. Not for one that
  /// hangs.
  func waitForAttachment() {
    let patience = AnswerPatience()
    let end = ContinuousClock.now + .seconds(patience.longest)
    var watch: AnswerWatch?
    while !state.withLock({ $0.attachment.hasGivenUp }), attachment.wait(timeout: .now() + BackgroundSession.look) == .timedOut {
      let link = state.withLock { $0.attachment.asked }
      // Where there is none yet, the daemon is being started.
      var judge = link == nil ? nil : watch ?? AnswerWatch(patience, now: .now)
      let isHung = link.map { judge?.isOver(ProcessPulse(ofDaemon: $0.peer.process), now: .now) ?? false } ?? false
      watch = judge
      if isHung || ContinuousClock.now >= end { state.withLock { $0.attachment.hasGivenUp = true } }
    }
  }

  // MARK: messages

  /// Tells the daemon. Where it is away, it is told by what the tasks are when it is back.
  ///
  /// - Parameter isByApp: Whether the app's own thread has called, and waits until the message has left.
  func send(_ message: AppMessage, isByApp: Bool = false) { withLink(isByApp: isByApp) { $0.send(message) } }

  /// Calls `send`, under the lock, with the link to the daemon, if there is one.
  private func withLink(isByApp: Bool = false, _ send: (MessageLink) -> Void) {
    let link = state.withLock { state in
      if let link = state.attachment.link { send(link) }
      return state.attachment.link
    }
    if isByApp { _ = link?.waitUntilWritten() }
  }

  // MARK: states

  /// Tells what the task is to do. Read and sent under the lock: of two threads that change it, the later state arrives last.
  func sendState(of task: URLSessionTask) { withLink { BackgroundSession.sendState(of: task, on: $0) } }

  private static func sendState(of task: URLSessionTask, on link: MessageLink) {
    let (current, wantsResumeData) = task.fields.withLock { ($0.state, !$0.resumeDataHandlers.isEmpty) }
    switch current {
    case .running: link.send(AppMessage.resume(task: task.taskIdentifier))
    case .suspended: link.send(AppMessage.suspend(task: task.taskIdentifier))
    case .canceling: link.send(AppMessage.cancel(task: task.taskIdentifier, wantsResumeData: wantsResumeData))
    case .completed: break
    }
  }

  /// Tells what the task is to do, and returns when that has left the process. Where it can't, a task that was to run ends with an error:
  /// the app would count on a transfer that its end would take with it.
  func handOver(_ task: URLSessionTask) {
    var lost: MessageLink?
    var end: ContinuousClock.Instant?
    while true {
      switch nextStep(task, lost) {
      case .done: return
      case .write(let link):
        switch link.waitUntilWritten() {
        case .written, .unknown: return
        case .stalled: return giveUp(task, BackgroundSession.silence)
        // The daemon has ended; what it hasn't read is told to the next one.
        case .over: lost = link
        }
      case .await(let change):
        // What else the app wants is told to the next daemon, if the process lives so long. An observer of a task may be called from the
        // link, which brings what is waited for here.
        guard task.state == .running, !MessageLink.isCalling else { return }
        let limit = end ?? .now + .seconds(BackgroundSession.returnPatience)
        end = limit
        guard wait(for: change, until: limit) else { return giveUp(task, BackgroundSession.absence) }
      }
    }
  }

  private enum HandOver {
    case done
    case write(MessageLink)
    /// The daemon is away, or hasn't heard of the task yet.
    case await(DispatchSemaphore)
  }

  private func nextStep(_ task: URLSessionTask, _ lost: MessageLink?) -> HandOver {
    state.withLock { state in
      switch state.attachment.phase {
      case .failed, .ended: return .done
      case .attaching: return .await(state.newWaiter())
      case .attached(let link):
        guard state.tasks[task.taskIdentifier] != nil else { return .done }
        guard link !== lost, state.tasks.isKnown(task.taskIdentifier) else { return .await(state.newWaiter()) }
        BackgroundSession.sendState(of: task, on: link)
        return .write(link)
      }
    }
  }

  /// - Returns: false if the time is over, also for those who come later: until the daemon is back they don't wait.
  private func wait(for change: DispatchSemaphore, until limit: ContinuousClock.Instant) -> Bool {
    guard !state.withLock({ $0.attachment.hasGivenUp }) else { return false }
    if change.wait(timeout: .now() + max(0, (limit - .now) / .seconds(1))) == .success { return true }
    state.withLock { $0.attachment.hasGivenUp = true }
    return false
  }

  /// Lets the threads look again that wait for the daemon.
  func wakeWaiters() {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.signal() }
  }

  /// The daemon takes nothing. A task that was to run ends here; the daemon is told that it is cancelled, should it go on.
  private func giveUp(_ task: URLSessionTask, _ error: LoadError) {
    guard task.state == .running else { return }
    end(task, error)
  }

  /// Ends a task here with `error`, and in the daemon, unless it has ended.
  func end(_ task: URLSessionTask, _ error: LoadError) {
    let session = state.withLock { state -> URLSession? in
      state.tasks.discard(task.taskIdentifier).flatMap { _ in state.session }
    }
    guard let session else { return }
    send(.cancel(task: task.taskIdentifier, wantsResumeData: false))
    sendFinish()
    TaskMirror(task: task, session: session).end(error)
  }

  // MARK: new tasks

  /// The task, and its state if that has changed. Not more than the daemon takes: a thread that makes many waits for it.
  func sendCreation(of task: URLSessionTask, _ order: TransferOrder) {
    let link = state.withLock { state in
      let link = state.attachment.link
      if let link { BackgroundSession.sendCreation(of: task, order, on: link, &state) }
      return link
    }
    sendFinish()
    link?.waitForRoom(above: BackgroundSession.portion)
  }

  private static func sendCreation(of task: URLSessionTask, _ order: TransferOrder, on link: MessageLink, _ state: inout BackgroundState) {
    guard state.tasks.announce(task.taskIdentifier) else { return }
    link.send(AppMessage.create(order))
    if task.state != .suspended { sendState(of: task, on: link) }
  }

  /// Tells a daemon that has come back of the tasks that it doesn't know, some at a time: all of them together may be more than a link
  /// takes.
  func sendCreations(of tasks: ArraySlice<URLSessionTask>, on link: MessageLink) {
    var (rest, size) = (tasks, 0)
    while size < BackgroundSession.portion, let task = rest.popFirst() {
      guard let order = TransferOrder(task) else { continue }
      size += order.request.count + (order.resumeData?.count ?? 0)
      state.withLock { state in
        guard state.attachment.link === link else { return }
        BackgroundSession.sendCreation(of: task, order, on: link, &state)
      }
    }
    wakeWaiters()
    guard !rest.isEmpty else { return sendFinish() }
    link.afterSending { [self, rest] in sendCreations(of: rest, on: link) }
  }
}
