import Foundation
import LoadingModel

extension NSKeyValueObservation {
  /// A class whose properties can be observed by key path: `URLSessionTask` and its subclasses, `URLSession`, and Foundation's `Progress`.
  ///
  /// Which properties those are, and what is told of them, is described in Documentation/observation.md. The protocol is for generic code
  /// over these classes; classes of an app can't adopt it.
  public protocol Observable: NSObject, Sendable {
    /// Begins an observation, as `observe(_:options:changeHandler:)` asks for it; nil if nothing can be told of the key path.
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
  ///   - options: What the handler is told. Default: that there was a change.
  ///   - changeHandler: Gets the object and the change. It is kept until the observation ends.
  /// - Returns: The observation; keep it.
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
