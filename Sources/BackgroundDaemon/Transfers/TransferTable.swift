import BackgroundTransfers
import Foundation

/// The transfers that are in memory: what each of them is doing, its task, its end that isn't on the disk yet. Shared by the parts that carry
/// transfers; confined to the daemon's queue.
final class TransferTable: @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  let context: DaemonContext
  var scheduler: TransferScheduler
  /// By transfer.
  var runs: [Int64: TransferRun] = [:]
  /// Ends that the disk hasn't taken yet, by transfer.
  var unsettled: [Int64: PendingEnd] = [:]
  /// The apps whose transfers these are. They lie above the transfers, and own this.
  weak var apps: (any TransferApps)?

  init(_ context: DaemonContext) {
    self.context = context
    let options = context.options
    scheduler = TransferScheduler(
      TransferScheduler.Limits(
        running: options.maximumRunning, ofSession: options.maximumOfSession, requestBytes: options.largestRequests))
  }
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
