import LoadingModel

/// Something that a load can wait for, and whose wait an interruption ends.
package protocol Interruptible: AnyObject {
  /// Ends the wait with `error`. Called on the event loop, at most once per load.
  func interrupt(_ error: LoadError)
  /// The load was resumed: what was held back may continue.
  func suspensionEnded()
  /// The load's priority has changed.
  func priorityChanged()
  /// What the load does meanwhile, as far as this knows more of it than the load's record.
  var phase: LoadError.Phase? { get }
}

extension Interruptible {
  package func priorityChanged() {}
  package var phase: LoadError.Phase? { nil }
}
