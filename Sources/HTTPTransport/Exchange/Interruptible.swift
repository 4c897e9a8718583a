import LoadingModel

/// Something a load can be waiting for, and be torn away from.
package protocol Interruptible: AnyObject {
  /// Ends the wait with `error`. Called on the event loop, at most once per load.
  func interrupt(_ error: LoadError)
  /// The load was resumed: what was held back may go on.
  func suspensionEnded()
  /// The load's priority has changed.
  func priorityChanged()
}

extension Interruptible {
  package func priorityChanged() {}
}
