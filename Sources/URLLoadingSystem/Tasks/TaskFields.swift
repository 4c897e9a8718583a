import Foundation
import LoadingModel

// How a task's fields change when the task ends, or when another task takes its load over (a data task that becomes a download or a stream).

extension URLSessionTask.Fields {
  /// Marks the task as completed, with its error and the trailer fields of its response.
  ///
  /// - Returns: The callers of `cancel(byProducingResumeData:)` that wait for resume data.
  mutating func complete(_ failure: (any Error)?, _ fields: HeaderFields?) -> [@Sendable (Data?) -> Void] {
    end()
    error = failure
    if let fields { trailers = fields }
    // A completion handler or continuation is released here, and what it has captured with it.
    switch delivery {
    case .continuation, .fileContinuation: delivery = .awaited
    case .completion, .file: delivery = .delegate
    case .delegate, .awaited, .bytes: break
    }
    defer { resumeDataHandlers = [] }
    return resumeDataHandlers
  }

  /// Marks this task as completed without reporting an end: the task that it becomes has its load from now on.
  ///
  /// - Returns: The fields that the new task takes over.
  mutating func handOver() -> URLSessionTask.Fields {
    let taken = self
    end()
    return taken
  }

  /// Takes over the fields of the task whose load this task has from now on.
  ///
  /// - Returns: Whether the app has cancelled this task before.
  mutating func takeOver(_ taken: URLSessionTask.Fields) -> Bool {
    // The progress and the observers stay: code that has asked the old task for its progress, or observes it, keeps seeing the old one's.
    let (ownProgress, ownObservers, ownState) = (progress, observers, state)
    self = taken
    (progress, observers) = (ownProgress, ownObservers)
    prefersIncrementalDelivery = false
    guard ownState == .canceling else { return false }
    state = .canceling
    return true
  }

  private mutating func end() {
    state = .completed
    lifecycle = .ended
    delegate = nil
    chain = DelegateChain()
  }
}
