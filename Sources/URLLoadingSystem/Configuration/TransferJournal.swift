import Foundation

/// Told what an interrupted transfer needs to go on, before it is interrupted: what a process that is killed can't say any more.
package protocol TransferJournal: AnyObject, Sendable {
  /// Called on any thread, as soon as there is something to resume from and again when it changes. A download's data is the same
  /// throughout: the file tells how much of it is there.
  func keep(resumeData: Data, of task: URLSessionTask)
}

extension URLSessionConfiguration {
  /// Told what running transfers need to be resumed after the process was killed. For the daemon of background sessions.
  package var transferJournal: (any TransferJournal)? {
    get { values.withLock { $0.transferJournal } }
    set { values.withLock { $0.transferJournal = newValue } }
  }
}
