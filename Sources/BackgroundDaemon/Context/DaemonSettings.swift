import BackgroundTransfers
import Foundation
import LoadingEngine

/// Limits, pauses and seams for tests that determine the daemon's behaviour, apart from its files' places.
package struct DaemonSettings: Sendable {
  /// Seconds without work and without a connection after which the daemon ends.
  package var idleExit = 30.0
  /// Maximum number of transfers that are under way at once, over all sessions.
  package var maximumRunning = TurnRules.maximumRunning
  /// Minimum number of seconds between two progress messages about a transfer to its app, and between two lists for a watching tool.
  package var progressInterval = 0.25
  /// Seconds that an app has to answer a challenge; after them the transfer gives up its connection, and waits for the app without one.
  package var questionPatience = 300.0
  /// Seconds after which the check of an upload's file counts as hanging, and another transfer may begin in its place.
  package var filePatience = 2.0
  /// Seconds between two checks that the socket's file still exists.
  package var socketPause = 15.0
  /// Seconds after which a session without transfers is forgotten, counted from when an app last had it attached.
  package var sessionLife = 30 * 86_400.0
  /// Maximum number of bytes that the requests of all running transfers have in memory together; a single transfer may exceed it.
  package var largestRequests = 64 << 20
  /// Called with a file's path on the thread that is about to touch this file of an app or a user. Tests simulate a hanging disk by it.
  package var touchingFile: @Sendable (String) -> Void = { _ in }
  /// Factor for the pauses between attempts of a transfer; tests shorten them.
  package var retryScale = 1.0
  /// Factor for the pauses between launches of an app; tests shorten them.
  package var launchScale = 1.0
  /// Seconds after which a suspended transfer gives up its connection.
  package var suspensionPatience = 60.0
  /// Seconds that the ending daemon waits for running tasks to hand over their resume data.
  package var stopPatience = 5.0
  /// Longest response body of an upload, in bytes; a longer one fails the transfer with `dataLengthExceedsMaximum`.
  package var largestUploadResponse = 16 << 20
  package var clock: @Sendable () -> ClockReading = { .system }
  package var network: any NetworkObserver = SystemNetwork.shared

  /// The defaults, with the values that `URLSESSIOND_…` variables give.
  package init(environment: [String: String] = [:]) {
    func number(_ name: String) -> Double? {
      environment[name].flatMap(Double.init).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }
    if let scale = number("URLSESSIOND_RETRY_SCALE") { retryScale = scale }
    if let scale = number("URLSESSIOND_LAUNCH_SCALE") { launchScale = scale }
    if let seconds = number("URLSESSIOND_IDLE_EXIT") { idleExit = seconds }
    if let count = number("URLSESSIOND_MAXIMUM_RUNNING") { maximumRunning = max(1, Int(min(count, 1024))) }
  }

  /// Maximum number of transfers that one session may have under way, so that the other sessions' transfers get a share.
  var maximumOfSession: Int { TurnRules.largestShare(of: maximumRunning) }
}
