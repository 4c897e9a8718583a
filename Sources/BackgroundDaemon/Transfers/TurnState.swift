import BackgroundTransfers
import Foundation

/// When the daemon looks for transfers to begin.
struct TurnState {
  var isRequested = false
  /// Of the latest timer: an earlier one has no effect.
  var generation = 0
  /// What runs have said since the last time it was written down.
  var unsaved: [Int64: UnsavedNotes] = [:]
  var isSaving = false
  var isRetryingEnds = false
  /// Transfers that have ended since the last commit: one of them is for all.
  var ends: [Int64] = []
  /// Complete files that no thread brings to the disk yet, and how many threads there are.
  var settlements: [Settlement] = []
  var settling = 0
  /// Whether the system's conditions have put off transfers in the latest turn: more of them are looked at in the next.
  var hasPutOff = false
  /// Until when transfers wait whose pause the disk hasn't taken.
  var held: [Int64: Date] = [:]
}

/// What is kept of a running transfer besides its counts.
struct UnsavedNotes {
  var resumeData: Data?
  var response: Data?
}

/// What keeps a transfer from beginning, besides the queue.
enum Occupation {
  /// Its source is looked at; `hangs` if its disk doesn't answer.
  case checking(session: Int64, hangs: Bool)
  /// The app is asked whether it may begin.
  case asking(question: Int64)
  /// It is complete: its file is brought to the disk, or to its destination.
  case settling
}

/// A transfer that waits because of the network.
struct RetryWait {
  var attempts: Int
}

/// An end that isn't on the disk yet.
struct PendingEnd {
  var transfer: TransferQueue.Transfer
  var outcome: TransferOutcome
  /// Whether no app is told.
  var isUntold: Bool
  /// For the log.
  var line: String?
  /// Whether the disk hasn't taken it: it is tried again.
  var hasFailed = false
}

/// A complete file that is brought to the disk under its final name.
struct Settlement {
  var path: String
  var final: String
  var transfer: TransferQueue.Transfer
  var outcome: TransferOutcome
}
