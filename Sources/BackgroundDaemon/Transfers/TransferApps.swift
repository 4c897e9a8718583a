import BackgroundTransfers
import Foundation
import URLLoadingSystem

/// What transfers tell and ask the apps of their sessions.
protocol TransferApps: AnyObject {
  typealias ChallengeAnswer = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  /// Sends the event if the session's app is attached and has caught up. An app that is still being told missed events gets it from the database,
  /// after them.
  func tell(_ event: TransferEvent, in session: Int64)
  /// Sends the message if the session's app is attached.
  func send(_ message: DaemonMessage, to session: Int64)
  /// Has the app told the run's counts after `progressInterval`, together with those of other runs.
  func report(progressOf run: TransferRun)

  /// Asks the app by `willBeginDelayedRequest` before the first attempt of a transfer that has an `earliestBeginDate`.
  /// - Returns: Whether the app was asked, so that the transfer waits for its answer.
  func mayAllow(_ transfer: TransferQueue.Transfer) -> Bool
  func answer(_ challenge: URLAuthenticationChallenge, of run: TransferRun, _ answer: @escaping ChallengeAnswer)
  /// The run is ending: its challenge is cancelled, and a later answer of the app is ignored.
  func withdrawQuestion(of run: TransferRun)
  /// Whether a transfer whose attempt was ended for lack of an answer still has to wait: the app isn't attached, or hasn't answered.
  func isWaitedFor(by run: TransferRun) -> Bool
  /// Until when a transfer that has failed waits for its app, if the app's answer could have prevented the error; nil if not: the transfer fails.
  func waitEnd(of run: TransferRun, after error: ErrorValue) -> Date?

  /// Launches the session's app if it isn't running and is needed: its transfers have ended, or one needs an answer.
  func considerLaunch(_ session: Int64)
  /// A transfer has ended: late questions about it are dropped, and the app may be launched.
  func hasFinished(_ transfer: Int64, in session: Int64)
  /// Forgets an invalidated session that has no tasks and events left.
  func endSessionIfOver(_ session: Int64)
}
