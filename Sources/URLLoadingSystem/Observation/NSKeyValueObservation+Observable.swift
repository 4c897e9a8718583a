import Foundation
import LoadingModel

extension NSKeyValueObservation {
  /// A class whose properties can be observed by key path: `URLSessionTask` and its subclasses, `URLSession`, and Foundation's `Progress`.
  ///
  /// Documentation/observation.md lists the properties and the changes that are told. The protocol is for generic code over these classes; an app's
  /// own classes can't adopt it.
  public protocol Observable: NSObject, Sendable {
    /// Begins an observation for `observe(_:options:changeHandler:)`; nil if the property at the key path can't be observed.
    func beginObservation<Object, Value>(_ request: NSKeyValueObservation.Request<Object, Value>) -> NSKeyValueObservation?
  }
}

extension NSKeyValueObservation.Observable {
  /// Calls `changeHandler` after each change of the property at `keyPath`, until the result is released or invalidated.
  ///
  /// Each change is told once, in the order of the changes, on the thread that made it: for what a load brings, the session's event loop,
  /// which does nothing else meanwhile, so a handler must not wait. No lock is held: the handler may use, change and observe the object.
  /// A change that comes while the handler runs, from inside it or from another thread, is told after the handler has returned.
  ///
  ///     let observation = task.observe(\.state, options: [.new]) { task, change in
  ///       print(change.newValue ?? task.state)
  ///     }
  ///
  /// A key path that can't be observed is reported on standard error, once; its handler gets the initial call alone.
  /// - Parameters:
  ///   - keyPath: The property, such as `\.state`.
  ///   - options: Which values the handler gets, and when it is called. Default: none, it is called after each change without values.
  ///   - changeHandler: Gets the object and the change. It is retained until the observation ends.
  /// - Returns: The observation, which ends when it is released.
  @preconcurrency
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let request = NSKeyValueObservation.Request(object: self, keyPath: keyPath, options: options, handler: changeHandler)
    if let observation = beginObservation(request) { return observation }
    UnobservableKeyPaths.report(keyPath)
    request.tellCurrentValue()
    return NSKeyValueObservation {}
  }
}
