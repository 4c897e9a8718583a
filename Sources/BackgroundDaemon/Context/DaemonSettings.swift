import BackgroundTransfers
import Foundation
import LoadingEngine

/// What the daemon's conduct depends on, apart from its places.
package struct DaemonSettings: Sendable {
  /// Seconds without work and without apps after which the daemon ends.
  package var idleExit = 30.0
  /// How many transfers are under way at once, over all sessions.
  package var maximumRunning = TurnRules.maximumRunning
  /// Seconds between two reports of a transfer's counts, and between two lists for tools.
  package var progressInterval = 0.25
  /// Seconds for which a transfer whose app doesn't answer a challenge keeps its connection and its place.
  package var questionPatience = 300.0
  /// Seconds after which a look at a file counts as one that hangs.
  package var filePatience = 2.0
  /// Seconds between two looks at the socket's file.
  package var socketPause = 15.0
  /// Seconds for which a session without transfers, and which no app has had, is remembered.
  package var sessionLife = 30 * 86_400.0
  /// Bytes that the requests of the running transfers have in memory at most, if there are more than one.
  package var largestRequests = 64 << 20
  /// Called on the thread that is about to touch a file of an app's or a person's, with its path. For tests: their disks hang there.
  package var touchingFile: @Sendable (String) -> Void = { _ in }
  /// Multiplies the pauses between attempts.
  package var retryScale = 1.0
  /// Multiplies the pauses between launches of an app.
  package var launchScale = 1.0
  /// Seconds for which a suspended transfer keeps its connection.
  package var suspensionPatience = 60.0
  /// Seconds that `stop` gives transfers to say how they can be resumed.
  package var stopPatience = 5.0
  /// Longest response of an upload that is kept, in bytes.
  package var largestUploadResponse = 16 << 20
  package var clock: @Sendable () -> ClockReading = { .system }
  package var network: any NetworkObserver = SystemNetwork.shared

  /// The defaults, changed by the environment's variables.
  package init(environment: [String: String] = [:]) {
    func number(_ name: String) -> Double? {
      environment[name].flatMap(Double.init).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }
    if let scale = number("URLSESSIOND_RETRY_SCALE") { retryScale = scale }
    if let scale = number("URLSESSIOND_LAUNCH_SCALE") { launchScale = scale }
    if let seconds = number("URLSESSIOND_IDLE_EXIT") { idleExit = seconds }
    if let count = number("URLSESSIOND_MAXIMUM_RUNNING") { maximumRunning = max(1, Int(min(count, 1024))) }
  }

  /// How many of the running transfers may be of one session, so that others get their turn.
  var maximumOfSession: Int { TurnRules.largestShare(of: maximumRunning) }
}
