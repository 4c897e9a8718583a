import BackgroundTransfers
@preconcurrency import Dispatch

// The counts of running transfers, for apps.

extension DaemonCore {
  /// Has the app told of the run's counts, with those of others, in a moment.
  func report(progressOf run: TransferRun) {
    toolsChanged()
    guard let app = apps[run.session] else { return }
    app.moved.insert(run.identifier)
    guard !isReporting else { return }
    isReporting = true
    loop.asyncAfter(deadline: .now() + options.progressInterval) { [weak self] in self?.reportProgress() }
  }

  private func reportProgress() {
    isReporting = false
    // What an app has been told of isn't lost if the daemon is killed.
    saveNotes()
    for app in apps.values where !app.moved.isEmpty {
      for identifier in app.moved {
        guard let run = runs[identifier] else { continue }
        app.link.send(DaemonMessage.progress(run.progress))
      }
      app.moved = []
    }
  }
}
