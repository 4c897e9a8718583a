import Foundation
import LoadingModel

extension URLSessionTask: NSKeyValueObservation.Observable {}

extension NSKeyValueObservation.Observable where Self: URLSessionTask {
  /// Begins an observation of one of the task's properties for `observe(_:options:changeHandler:)`; nil if the property can't be observed.
  public func beginObservation<Object, Value>(_ request: NSKeyValueObservation.Request<Object, Value>) -> NSKeyValueObservation? {
    if let property = Self.observed(request.keyPath) {
      return request.observer(of: property).map { observer in
        let note = HeldRecording.noteObservation(of: request.keyPath, self as URLSessionTask) { $0.state == .completed }
        return begin(observer, isInitial: request.options.contains(.initial), note: note)
      }
    }
    if let property = Self.observedOfProgress(request.keyPath) {
      return request.observer(of: property).map { shownProgress.begin($0, isInitial: request.options.contains(.initial)) }
    }
    guard Self.isConstant(request.keyPath) else { return nil }
    request.tellCurrentValue()
    return NSKeyValueObservation {}
  }

  /// `Self` is the class that the app's key path names: `\URLSessionDataTask.state` isn't equal to `\URLSessionTask.state`.
  private static func observed(_ keyPath: AnyKeyPath) -> ObservedProperty<TaskValues>? {
    switch keyPath {
    case \Self.state: ObservedProperty(\.state)
    case \Self.response: ObservedProperty(\.response) { $0 === $1 }
    // The error is set once, from nil: it has changed exactly if it is nil in one value and not in the other.
    case \Self.error: ObservedProperty(\.error) { ($0 == nil) == ($1 == nil) }
    case \Self.currentRequest: ObservedProperty(\.currentRequest)
    case \Self.countOfBytesSent: ObservedProperty(\.countOfBytesSent)
    case \Self.countOfBytesReceived: ObservedProperty(\.countOfBytesReceived)
    case \Self.countOfBytesExpectedToSend: ObservedProperty(\.countOfBytesExpectedToSend)
    case \Self.countOfBytesExpectedToReceive: ObservedProperty(\.countOfBytesExpectedToReceive)
    case \Self.countOfBytesClientExpectsToSend: ObservedProperty(\.countOfBytesClientExpectsToSend)
    case \Self.countOfBytesClientExpectsToReceive: ObservedProperty(\.countOfBytesClientExpectsToReceive)
    case \Self.priority: ObservedProperty(\.priority)
    case \Self.prefersIncrementalDelivery: ObservedProperty(\.prefersIncrementalDelivery)
    case \Self.earliestBeginDate: ObservedProperty(\.earliestBeginDate)
    case \Self.taskDescription: ObservedProperty(\.taskDescription)
    default: nil
    }
  }

  private static func observedOfProgress(_ keyPath: AnyKeyPath) -> ObservedProperty<ProgressValues>? {
    switch keyPath {
    case \Self.progress.fractionCompleted: ObservedProperty(\.fractionCompleted)
    case \Self.progress.completedUnitCount: ObservedProperty(\.completedUnitCount)
    case \Self.progress.totalUnitCount: ObservedProperty(\.totalUnitCount)
    case \Self.progress.isCancelled: ObservedProperty(\.isCancelled)
    case \Self.progress.isPaused: ObservedProperty(\.isPaused)
    case \Self.progress.isFinished: ObservedProperty(\.isFinished)
    case \Self.progress.isIndeterminate: ObservedProperty(\.isIndeterminate)
    case \Self.progress.localizedDescription: ObservedProperty(\.localizedDescription)
    case \Self.progress.localizedAdditionalDescription: ObservedProperty(\.localizedAdditionalDescription)
    default: nil
    }
  }

  private static func isConstant(_ keyPath: AnyKeyPath) -> Bool {
    keyPath == \Self.progress || keyPath == \Self.taskIdentifier || keyPath == \Self.originalRequest
  }
}

extension URLSessionTask {
  /// Changes the fields, then tells the observers what has changed. Without observers that costs a look at an empty array.
  func change<Result: Sendable>(_ body: (inout Fields) -> Result) -> Result {
    let (result, noted) = noting(body)
    tell(noted)
    return result
  }

  /// Changes the fields and notes the observed changes; the same thread must then pass them to `tell`.
  func noting<Result: Sendable>(_ body: (inout Fields) -> Result) -> (Result, NotedChanges<TaskValues>) {
    fields.withLock { $0.noting(body) }
  }

  func tell(_ noted: NotedChanges<TaskValues>) { noted.tell(EventLoopTelling(session?.engine)) }

  fileprivate func begin(_ observer: PropertyObserver<TaskValues>, isInitial: Bool, note: Int?) -> NSKeyValueObservation {
    fields.withLock { $0.add(observer, isInitial: isInitial) }
    if isInitial { observer.tellInitial(rest: EventLoopTelling(session?.engine)) }
    return NSKeyValueObservation { [weak self] in
      HeldRecording.forget(note)
      observer.end()
      self?.fields.withLock { $0.observers.remove(observer) }
    }
  }
}
