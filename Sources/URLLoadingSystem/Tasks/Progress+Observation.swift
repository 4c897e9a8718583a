import Foundation

extension Progress: NSKeyValueObservation.Observable {}

extension NSKeyValueObservation.Observable where Self: Progress {
  /// Begins an observation of one of the progress's properties for `observe(_:options:changeHandler:)`; nil if the property can't be observed.
  public func beginObservation<Object, Value>(_ request: NSKeyValueObservation.Request<Object, Value>) -> NSKeyValueObservation? {
    let own = self as? LoadProgress
    guard let property = Self.observed(request.keyPath, isOfLoad: own != nil), let observer = request.observer(of: property) else {
      return nil
    }
    let isInitial = request.options.contains(.initial)
    return own?.begin(observer, isInitial: isInitial) ?? AppProgresses.begin(observer, of: self, isInitial: isInitial)
  }

  private static func observed(_ keyPath: AnyKeyPath, isOfLoad: Bool) -> ObservedProperty<ProgressValues>? {
    switch keyPath {
    case \Self.fractionCompleted: ObservedProperty(\.fractionCompleted)
    case \Self.completedUnitCount: ObservedProperty(\.completedUnitCount)
    case \Self.totalUnitCount: ObservedProperty(\.totalUnitCount)
    case \Self.isCancelled: ObservedProperty(\.isCancelled)
    case \Self.isPaused: ObservedProperty(\.isPaused)
    case \Self.isFinished: ObservedProperty(\.isFinished)
    case \Self.isIndeterminate: ObservedProperty(\.isIndeterminate)
    // Foundation's own descriptions are empty, so only those of a task's progress can be observed.
    case \Self.localizedDescription where isOfLoad: ObservedProperty(\.localizedDescription)
    case \Self.localizedAdditionalDescription where isOfLoad: ObservedProperty(\.localizedAdditionalDescription)
    default: nil
    }
  }
}
