@preconcurrency import Dispatch
import Foundation

/// Counts the seconds without work after which the daemon ends. A part of the daemon, confined to its queue.
final class Idleness: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  let context: DaemonContext
  private let table: TransferTable
  private let launcher: Launcher
  private let isConnected: () -> Bool
  private let end: () -> Void
  /// Of the latest countdown: an earlier one has no effect.
  private var generation = 0
  private var isCounting = false

  /// - Parameters:
  ///   - isConnected: Whether an app or a tool has a connection.
  ///   - end: Ends the daemon.
  init(_ table: TransferTable, _ launcher: Launcher, isConnected: @escaping () -> Bool, end: @escaping () -> Void) {
    (context, self.table, self.launcher, self.isConnected, self.end) = (table.context, table, launcher, isConnected, end)
  }

  /// Begins to count, or stops, as there is work or not. Cheap: called after whatever may have changed it.
  func consider() {
    guard isServing, !isBusy else {
      isCounting = false
      return
    }
    guard !isCounting else { return }
    isCounting = true
    generation += 1
    let generation = generation
    loop.asyncAfter(deadline: .now() + options.idleExit) { [weak self] in self?.endIfIdle(generation) }
  }

  private func endIfIdle(_ counted: Int) {
    guard isServing, isCounting, generation == counted, !isBusy else { return }
    end()
  }

  /// Suspended transfers don't count: only an app or a tool can resume them, and starts the daemon for that.
  private var isBusy: Bool {
    guard !isConnected(), table.scheduler.isIdle, launcher.isIdle else { return true }
    guard let counts = try? queue.reports.counts() else { return true }
    return counts.waiting > 0
  }
}
