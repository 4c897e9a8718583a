import Foundation
import LoadingModel
import URLLoadingSystem

/// The session's delegate: which tasks have completed.
final class TaskEnds: NSObject, URLSessionTaskDelegate, Sendable {
  private struct State {
    var ended: Set<Int> = []
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())

  /// Returns when the task has completed. To be called once for each.
  func end(of task: URLSessionTask) async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if state.ended.remove(task.taskIdentifier) != nil { return true }
        state.waiting[task.taskIdentifier] = continuation
        return false
      }
      if hasEnded { continuation.resume() }
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let waiting = state.withLock { state in
      let waiting = state.waiting.removeValue(forKey: task.taskIdentifier)
      if waiting == nil { state.ended.insert(task.taskIdentifier) }
      return waiting
    }
    waiting?.resume()
  }
}
