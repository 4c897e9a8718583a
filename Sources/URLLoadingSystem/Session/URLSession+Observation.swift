import Foundation
import LoadingModel

extension URLSession: NSKeyValueObservation.Observable {}

extension NSKeyValueObservation.Observable where Self: URLSession {
  /// Begins an observation of one of the session's properties for `observe(_:options:changeHandler:)`; nil if the property can't be observed.
  public func beginObservation<Object, Value>(_ request: NSKeyValueObservation.Request<Object, Value>) -> NSKeyValueObservation? {
    if let property = Self.observed(request.keyPath) {
      return request.observer(of: property).map { observer in
        let note = HeldRecording.noteObservation(of: request.keyPath, self as URLSession) { $0.registry.isInvalid }
        return begin(observer, isInitial: request.options.contains(.initial), note: note)
      }
    }
    guard request.keyPath == \Self.configuration else { return nil }
    request.tellCurrentValue()
    return NSKeyValueObservation {}
  }

  private static func observed(_ keyPath: AnyKeyPath) -> ObservedProperty<SessionValues>? {
    switch keyPath {
    case \Self.sessionDescription: ObservedProperty(\.sessionDescription)
    case \Self.delegate: ObservedProperty(\.delegate) { $0 === $1 }
    default: nil
    }
  }
}

extension URLSession {
  /// Changes the session's mutable fields, then tells the observers what has changed.
  func change<Result: Sendable>(_ body: (inout Changing) -> Result) -> Result {
    let (result, noted) = changing.withLock { $0.noting(body) }
    noted.tell()
    return result
  }

  fileprivate func begin(_ observer: PropertyObserver<SessionValues>, isInitial: Bool, note: Int?) -> NSKeyValueObservation {
    changing.withLock { $0.add(observer, isInitial: isInitial) }
    if isInitial { observer.tellInitial(rest: nil) }
    return NSKeyValueObservation { [weak self] in
      HeldRecording.forget(note)
      observer.end()
      self?.changing.withLock { $0.observers.remove(observer) }
    }
  }
}
