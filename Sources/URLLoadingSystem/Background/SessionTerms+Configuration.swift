import BackgroundTransfers
import Foundation
import LoadingModel
import Stores

extension SessionTerms {
  /// Converts a background configuration to the terms that are sent to the daemon.
  package init(_ configuration: URLSessionConfiguration, identifier: String) {
    let location = StoreLocation.standard
    let app = App(
      name: location.app, data: location.data.path(percentEncoded: false), caches: location.caches.path(percentEncoded: false),
      settings: location.settings.path(percentEncoded: false))
    let timeout = configuration.timeoutIntervalForResource
    self.init(
      app: app, identifier: identifier, configuration: BackgroundConfiguration(configuration).encoded,
      resourceTimeout: timeout.isFinite && timeout > 0 ? timeout : 7 * 24 * 60 * 60, isDiscretionary: configuration.isDiscretionary,
      sendsLaunchEvents: configuration.sessionSendsLaunchEvents, launch: configuration.backgroundLaunch?.terms)
    if case .command = launch {
      environment = SessionTerms.launchEnvironment
      creationMask = UInt16(truncatingIfNeeded: FileCreationMask.ofProcess)
    }
  }

  /// Environment variables that are valid for one process only, such as a service manager's: the daemon doesn't pass them on when it launches the
  /// app.
  private static let ofOneProcess: Set<String> = [
    Launch.variable, "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "JOURNAL_STREAM",
    "INVOCATION_ID",
  ]

  private static var launchEnvironment: [String: String] { ProcessEnvironment.variables.filter { !ofOneProcess.contains($0.key) } }
}
