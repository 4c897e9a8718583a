/// Why the queue refuses a call. Nothing has changed then.
package enum TransferQueueError: Error, Hashable, CustomStringConvertible {
  case noSession(Int64)
  /// The session takes no more tasks.
  case sessionIsInvalidated(Int64)
  /// A task of the session has, or had, the identifier.
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
