@preconcurrency import Dispatch
import Foundation

/// Ends the daemon after `idleExit` seconds without work and connections. A part of the daemon, confined to its queue.
final class Idleness: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  let context: DaemonContext
  private let table: TransferTable
  private let launcher: Launcher
  private let isConnected: () -> Bool
  private let end: () -> Void
  /// Number of the latest countdown; a timer of an earlier one does nothing.
  private var generation = 0
  private var isCounting = false

  /// - Parameters:
  ///   - isConnected: Whether an app or a tool has a connection.
  ///   - end: Ends the daemon.
  init(_ table: TransferTable, _ launcher: Launcher, isConnected: @escaping () -> Bool, end: @escaping () -> Void) {
    (context, self.table, self.launcher, self.isConnected, self.end) = (table.context, table, launcher, isConnected, end)
  }

  /// Begins the countdown if there is no work, or stops it if there is. Cheap: called after anything that may have changed that.
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

  /// Whether there is work or a connection. Suspended transfers don't count, because only an app or a tool can resume them, and these start a daemon.
  private var isBusy: Bool {
    guard !isConnected(), table.scheduler.isIdle, launcher.isIdle else { return true }
    guard let counts = try? queue.reports.counts() else { return true }
    return counts.waiting > 0
  }
}
