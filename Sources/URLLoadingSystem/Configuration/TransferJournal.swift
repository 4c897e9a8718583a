import Foundation

/// Stores resume data of running transfers as soon as it exists, because a process that is killed can't produce it any more.
package protocol TransferJournal: AnyObject, Sendable {
  /// Called on any thread when a transfer can first be resumed, and again when its data changes. A download's data stays the same while bytes arrive:
  /// the length of its file tells how many there are.
  func keep(resumeData: Data, of task: URLSessionTask)
}

extension URLSessionConfiguration {
  /// Stores resume data of running transfers, for the case that the process is killed. Used by the daemon of background sessions; nil otherwise.
  package var transferJournal: (any TransferJournal)? {
    get { values.withLock { $0.transferJournal } }
    set { values.change { $0.transferJournal = newValue } }
  }
}
