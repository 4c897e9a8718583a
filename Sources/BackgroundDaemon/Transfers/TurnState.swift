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
}

/// What is kept of a running transfer besides its counts.
struct UnsavedNotes {
  var resumeData: Data?
  var response: Data?
}

/// An end that isn't on the disk yet.
struct PendingEnd {
  var transfer: TransferQueue.Transfer
  var outcome: TransferOutcome
  /// Whether no app is told.
  var isUntold: Bool
  /// For the log.
  var line: String?
}

/// A complete file that is brought to the disk under its final name.
struct Settlement {
  var path: String
  var final: String
  var transfer: TransferQueue.Transfer
  var outcome: TransferOutcome
}
