/// Why the queue refuses a call; the call has changed nothing.
package enum TransferQueueError: Error, Hashable, CustomStringConvertible {
  case noSession(Int64)
  /// The session is invalidated, and takes no more tasks.
  case sessionIsInvalidated(Int64)
  /// The identifier belongs to another task of the session, or did.
  case taskIdentifierUsed(Int)
  case noTransfer(Int64)

  package var description: String {
    switch self {
    case .noSession(let identifier): "there is no session \(identifier)"
    case .sessionIsInvalidated(let identifier): "session \(identifier) was invalidated and takes no more tasks"
    case .taskIdentifierUsed(let task): "the session has had a task \(task) already"
    case .noTransfer(let identifier): "there is no transfer \(identifier)"
    }
  }
}
