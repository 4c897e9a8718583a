import BackgroundTransfers
@preconcurrency import Dispatch

/// Tells apps the byte counts of their running transfers, at most once in `progressInterval`. A part of the daemon, confined to its queue.
final class ProgressReports: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  let context: DaemonContext
  private let runner: TransferRunner
  private let apps: AttachedApps
  private var isReporting = false

  init(_ runner: TransferRunner, _ apps: AttachedApps) { (context, self.runner, self.apps) = (runner.context, runner, apps) }

  /// Has the app told the run's counts after `progressInterval`, together with those of other runs.
  func report(_ run: TransferRun) {
    toolsChanged()
    guard let app = apps[run.session] else { return }
    app.moved.insert(run.identifier)
    guard !isReporting else { return }
    isReporting = true
    loop.asyncAfter(deadline: .now() + options.progressInterval) { [weak self] in self?.report() }
  }

  private func report() {
    isReporting = false
    // Resume data is stored first, so that a killed daemon doesn't fall behind the counts that an app was told.
    runner.notes.save()
    for app in apps.all.values where !app.moved.isEmpty {
      for identifier in app.moved {
        guard let run = runner.table.runs[identifier] else { continue }
        app.link.send(DaemonMessage.progress(run.progress))
      }
      app.moved = []
    }
  }
}
