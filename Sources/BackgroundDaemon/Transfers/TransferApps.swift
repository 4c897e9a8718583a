import BackgroundTransfers
import Foundation
import URLLoadingSystem

/// What transfers need of their apps.
protocol TransferApps: AnyObject {
  typealias ChallengeAnswer = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  /// Tells the session's app, if it is there. Where it is still being told what it missed, the event is among the last of it.
  func tell(_ event: TransferEvent, in session: Int64)
  /// Sends to the session's app, if it is there.
  func send(_ message: DaemonMessage, to session: Int64)
  /// Has the app told of the run's counts, with those of others, in a moment.
  func report(progressOf run: TransferRun)

  /// Asks the app before the first attempt of a transfer with an earliest beginning.
  /// - Returns: Whether its answer is awaited.
  func mayAllow(_ transfer: TransferQueue.Transfer) -> Bool
  func answer(_ challenge: URLAuthenticationChallenge, of run: TransferRun, _ answer: @escaping ChallengeAnswer)
  /// The run ends: it needs no answer any more.
  func withdrawQuestion(of run: TransferRun)
  /// Whether a run that was stopped for want of its app has still to wait for it.
  func isWaitedFor(by run: TransferRun) -> Bool
  /// Until when the transfer waits for its app, which could have helped it; nil if it couldn't.
  func waitEnd(of run: TransferRun, after error: ErrorValue) -> Date?

  /// The app may be started: its transfers have ended, or need it.
  func considerLaunch(_ session: Int64)
  /// A transfer has ended.
  func hasFinished(_ transfer: Int64, in session: Int64)
  /// A session that takes no more tasks and has none is forgotten.
  func endSessionIfOver(_ session: Int64)
}
