import BackgroundTransfers
@preconcurrency import Dispatch

/// Tells apps of the counts of their running transfers. A part of the daemon, confined to its queue.
final class ProgressReports: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  let context: DaemonContext
  private let runner: TransferRunner
  private let apps: AttachedApps
  private var isReporting = false

  init(_ runner: TransferRunner, _ apps: AttachedApps) { (context, self.runner, self.apps) = (runner.context, runner, apps) }

  /// Has the app told of the run's counts, with those of others, in a moment.
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
    // What an app has been told of isn't lost if the daemon is killed.
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
