import BackgroundTransfers
import Foundation
import LoadingModel
import Stores

extension SessionTerms {
  /// A background configuration in the daemon's terms.
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
    if case .command = launch { environment = SessionTerms.launchEnvironment }
  }

  /// What belongs to one process alone: the daemon's word for why it was started, and the service manager's.
  private static let ofOneProcess: Set<String> = [
    Launch.variable, "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "JOURNAL_STREAM",
    "INVOCATION_ID",
  ]

  private static var launchEnvironment: [String: String] { ProcessEnvironment.variables.filter { !ofOneProcess.contains($0.key) } }
}
