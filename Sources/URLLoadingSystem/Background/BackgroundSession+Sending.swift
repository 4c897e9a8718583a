import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation
import LoadingModel

// Messages to the daemon. A message caused by a call of the app's has been written to the socket when that call returns, so that the process may exit
// at once.

extension BackgroundSession {
  /// Bytes that may be queued for the daemon before a thread that makes tasks has to wait; also the size of each batch of tasks sent to a restarted
  /// daemon.
  private static let portion = 1 << 20
  /// Seconds for which a thread of the app's waits for a daemon that was lost to be back.
  private static let returnPatience = 10.0
  /// Seconds between two checks whether a daemon that hasn't answered yet hangs.
  private static let look = 0.25

  static let silence = LoadError(
    .backgroundSessionWasDisconnected, .admission,
    "urlsessiond runs but doesn't answer; see what it does, or end it: it is started again when it is needed")

  static let absence = LoadError(
    .backgroundSessionWasDisconnected, .admission, "urlsessiond has ended and can't be started again; run it to see why")

  // MARK: The first answer

  /// Blocks until the daemon has answered for the first time: task identifiers continue those of earlier processes. Gives up on a daemon that hangs.
  func waitForAttachment() {
    let patience = AnswerPatience()
    let end = ContinuousClock.now + .seconds(patience.longest)
    var watch: AnswerWatch?
    while !state.withLock({ $0.attachment.hasGivenUp }), attachment.wait(timeout: .now() + BackgroundSession.look) == .timedOut {
      let link = state.withLock { $0.attachment.asked }
      // Without a connection the daemon is still being started.
      var judge = link == nil ? nil : watch ?? AnswerWatch(patience, now: .now)
      let isHung = link.map { judge?.isOver(ProcessPulse(ofDaemon: $0.peer.process), now: .now) ?? false } ?? false
      watch = judge
      if isHung || ContinuousClock.now >= end { state.withLock { $0.attachment.hasGivenUp = true } }
    }
  }

  // MARK: Messages

  /// Sends a message to the daemon. While it is away, nothing is sent: when it is back, it is sent the tasks in their present state.
  ///
  /// - Parameter isByApp: Whether the caller is a thread of the app's, which then waits until the message has been written to the socket.
  func send(_ message: AppMessage, isByApp: Bool = false) { withLink(isByApp: isByApp) { $0.send(message) } }

  /// Calls `send` with the connection to the daemon, under the state's lock; not at all while there is no connection.
  private func withLink(isByApp: Bool = false, _ send: (MessageLink) -> Void) {
    let link = state.withLock { state in
      if let link = state.attachment.link { send(link) }
      return state.attachment.link
    }
    if isByApp { _ = link?.waitUntilWritten() }
  }

  // MARK: States

  /// Sends the task's state. It is read and sent under one lock, so that if two threads change it the later state arrives last.
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

  /// Sends the task's state, and returns when it has been written to the socket. If it can't be, a running task ends with an error: otherwise the app
  /// would count on a transfer that is lost when its process ends.
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
        // The daemon has ended: the next one is sent the state instead.
        case .over: lost = link
        }
      case .await(let change):
        // A suspension or cancellation is sent to the next daemon, without waiting. Nor may the connection's own thread wait, on which a task's
        // observer may run: it would have to receive the awaited answer.
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
    /// Wait for a change: the daemon is away, or hasn't been sent the task yet.
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

  /// - Returns: false when `limit` has passed. Later callers then don't wait either until the daemon is back.
  private func wait(for change: DispatchSemaphore, until limit: ContinuousClock.Instant) -> Bool {
    guard !state.withLock({ $0.attachment.hasGivenUp }) else { return false }
    if change.wait(timeout: .now() + max(0, (limit - .now) / .seconds(1))) == .success { return true }
    state.withLock { $0.attachment.hasGivenUp = true }
    return false
  }

  /// Wakes the threads that wait for the daemon, so that they check its state again.
  func wakeWaiters() {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.signal() }
  }

  /// Ends a running task with an error, because the daemon doesn't accept messages.
  private func giveUp(_ task: URLSessionTask, _ error: LoadError) {
    guard task.state == .running else { return }
    end(task, error)
  }

  /// Ends a task in this process with `error` and cancels it in the daemon; no effect if it has ended already.
  func end(_ task: URLSessionTask, _ error: LoadError) {
    let session = state.withLock { state -> URLSession? in
      state.tasks.discard(task.taskIdentifier).flatMap { _ in state.session }
    }
    guard let session else { return }
    send(.cancel(task: task.taskIdentifier, wantsResumeData: false))
    sendFinish()
    TaskMirror(task: task, session: session).end(error)
  }

  // MARK: New tasks

  /// Sends a new task to the daemon, and its state if that isn't suspended. A thread that makes tasks faster than the daemon reads them waits here.
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

  /// Sends the tasks that a restarted daemon doesn't know, in batches of `portion` bytes, since all of them may be more than a connection's buffer
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
