import Foundation
import LoadingModel

// How a task's fields change where it ends, or where another task takes its load over.

extension URLSessionTask.Fields {
  /// The task is over.
  ///
  /// - Returns: Those who wait for resume data.
  mutating func complete(_ failure: (any Error)?, _ fields: HeaderFields?) -> [@Sendable (Data?) -> Void] {
    end()
    error = failure
    if let fields { trailers = fields }
    // What it delivers to is released.
    switch delivery {
    case .continuation, .fileContinuation: delivery = .awaited
    case .completion, .file: delivery = .delegate
    case .delegate, .awaited, .bytes: break
    }
    defer { resumeDataHandlers = [] }
    return resumeDataHandlers
  }

  /// The task is over, without an end of its own: another one has its load from now on.
  ///
  /// - Returns: What the other one takes.
  mutating func handOver() -> URLSessionTask.Fields {
    let taken = self
    end()
    return taken
  }

  /// The task has another one's load from now on.
  ///
  /// - Returns: Whether the app has cancelled it already.
  mutating func takeOver(_ taken: URLSessionTask.Fields) -> Bool {
    // Code that has asked the old task for its progress, or observes it, keeps seeing that one.
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
