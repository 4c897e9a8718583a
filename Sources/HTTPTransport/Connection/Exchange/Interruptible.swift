import LoadingModel

/// Something that a load can wait for, and whose wait an interruption ends.
package protocol Interruptible: AnyObject {
  /// Ends the wait with `error`. Called on the event loop, at most once per load.
  func interrupt(_ error: LoadError)
  /// The load was suspended and has been resumed: reads or sends that were held back continue.
  func suspensionEnded()
  /// The load's priority has changed.
  func priorityChanged()
  /// The phase for the error of a load that ends during this wait; nil where the load's record tells it.
  var phase: LoadError.Phase? { get }
  /// Bytes of the request's body that the server has acknowledged; nil if none is being sent during this wait.
  var acknowledgedBytes: Int64? { get }
}

extension Interruptible {
  package func priorityChanged() {}
  package var phase: LoadError.Phase? { nil }
  package var acknowledgedBytes: Int64? { nil }
}
