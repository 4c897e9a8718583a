import BackgroundTransfers
import Foundation

/// The transfers in memory: their phases, their runs, and ends that aren't stored yet. Shared by the parts that carry transfers; confined to the
/// daemon's queue.
final class TransferTable: @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  let context: DaemonContext
  var scheduler: TransferScheduler
  /// By transfer identifier.
  var runs: [Int64: TransferRun] = [:]
  /// Ends that aren't stored yet, by transfer identifier.
  var unsettled: [Int64: PendingEnd] = [:]
  /// The part that serves the apps of these transfers. Weak, because it owns this table.
  weak var apps: (any TransferApps)?

  init(_ context: DaemonContext) {
    self.context = context
    let options = context.options
    scheduler = TransferScheduler(
      TransferScheduler.Limits(
        running: options.maximumRunning, ofSession: options.maximumOfSession, requestBytes: options.largestRequests))
  }
}

/// An end that isn't stored yet.
struct PendingEnd {
  var transfer: TransferQueue.Transfer
  var outcome: TransferOutcome
  /// Whether the app gets no event of the end.
  var isUntold: Bool
  /// For the log; nil for none.
  var line: String?
}
