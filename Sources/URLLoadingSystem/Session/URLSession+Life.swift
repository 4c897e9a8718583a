import Foundation
import LoadingEngine

// The end of a session, and how callers wait until a background session's tasks are known.

extension URLSession {
  /// Ends the session after its last task: stops the engine, tells the delegate, releases it, and resumes `waitUntilInvalid()`.
  func becomeInvalid() {
    SessionRoll.remove(mark)
    // After the loop's step: where this is another thread, the step may be the end of the last load, whose task has left the registry and whose
    // calls aren't posted yet.
    engine.afterStep { [self] in
      engine.end()
      pump.post { [self] in tellInvalidity() }
    }
  }

  /// Tells the delegate that the session is invalid, and releases it. On the delegate queue.
  private func tellInvalidity() {
    // Closed after the delegate calls that are queued: the daemon keeps the events until those calls have returned.
    background?.end()
    _ = messages?.didBecomeInvalid(self, background?.failure?.urlError(failingURL: nil))
    // The delegate's deinit is the app's code: it must not run under the lock.
    _ = change { changing in
      let past = (changing.messages, changing.chain)
      changing.messages = nil
      changing.chain = DelegateChain()
      return past
    }
    let waiters = changing.withLock { changing in
      changing.isInvalid = true
      defer { changing.endWaiters = [] }
      return changing.endWaiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns when the session has been invalidated, its last task has ended and its delegate has been told.
  func waitUntilInvalid() async {
    await withCheckedContinuation { continuation in
      let isInvalid = changing.withLock { changing in
        if !changing.isInvalid { changing.endWaiters.append(continuation) }
        return changing.isInvalid
      }
      if isInvalid { continuation.resume() }
    }
  }

  /// Invalidates a background session, as soon as its tasks of earlier processes are known.
  func finish(_ background: any SessionCarrier, cancelling: Bool) {
    registry.close()
    background.afterAttachment { [self] in
      // The daemon is told before the session may become invalid, which ends the link to it.
      if cancelling {
        background.cancelAll(self)
        let isOver = registry.finish()
        for task in registry.all { task.cancel() }
        if isOver { becomeInvalid() }
      } else {
        background.finish()
        if registry.finish() { becomeInvalid() }
      }
    }
  }

  /// Calls `action` on the delegate queue when the session's tasks are known: in background sessions after the daemon has told them, in others at
  /// once.
  func postWithTasks(_ action: @escaping @Sendable () -> Void) {
    guard let background else { return pump.post(action) }
    background.afterAttachment { [pump] in pump.post(action) }
  }

  /// Returns the session when its tasks are known and its delegate has been told which of them have ended meanwhile.
  func attached() async -> URLSession {
    guard background != nil else { return self }
    await withCheckedContinuation { continuation in postWithTasks { continuation.resume() } }
    return self
  }

  /// The identifier for a new task: after those of earlier processes, which the daemon knows.
  func nextTaskIdentifier() -> Int {
    background?.waitForAttachment()
    return registry.nextIdentifier()
  }

  var tasksByKind: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
    let all = registry.active
    let uploads = all.compactMap { $0 as? URLSessionUploadTask }
    let data = all.compactMap { $0 is URLSessionUploadTask ? nil : $0 as? URLSessionDataTask }
    return (data, uploads, all.compactMap { $0 as? URLSessionDownloadTask })
  }
}
