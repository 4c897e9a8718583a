import BackgroundTransfers
import Foundation
import URLLoadingSystem

/// Serves attached apps: connects the parts that do so with the transfers, as their `TransferApps`. A part of the daemon, confined to its queue.
final class AppDesk: DaemonPart, TransferApps, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  let context: DaemonContext
  let sessions: AppSessions
  let orders: AppOrders
  let changes: TransferChanges
  private let apps: AttachedApps
  private let launcher: Launcher
  private let progress: ProgressReports
  private var questions: AppQuestions { sessions.questions }

  init(_ runner: TransferRunner, _ apps: AttachedApps, _ launcher: Launcher) {
    (context, self.apps, self.launcher) = (runner.context, apps, launcher)
    sessions = AppSessions(runner, apps, launcher)
    changes = TransferChanges(runner, sessions.questions)
    orders = AppOrders(sessions, changes)
    progress = ProgressReports(runner, apps)
    runner.table.apps = self
  }

  /// The connection is over: an app that was attached by it is detached.
  func leave(_ connection: Connection) {
    guard let app = apps.all.values.first(where: { $0.link === connection.link }) else { return }
    sessions.detach(app)
  }

  // MARK: what transfers tell their apps

  func tell(_ event: TransferEvent, in session: Int64) { apps.tell(event, in: session) }

  func send(_ message: DaemonMessage, to session: Int64) { apps[session]?.link.send(message) }

  func report(progressOf run: TransferRun) { progress.report(run) }

  func hasFinished(_ transfer: Int64, in session: Int64) {
    questions.removeLate(of: transfer)
    launcher.consider(session)
  }

  func endSessionIfOver(_ session: Int64) { sessions.ends.endSessionIfOver(session) }

  // MARK: what transfers ask their apps

  func mayAllow(_ transfer: TransferQueue.Transfer) -> Bool { questions.asksApp(before: transfer) }

  func answer(_ challenge: URLAuthenticationChallenge, of run: TransferRun, _ answer: @escaping ChallengeAnswer) {
    questions.answer(challenge, of: run, answer)
  }

  func withdrawQuestion(of run: TransferRun) { questions.withdrawQuestion(of: run) }

  func isWaitedFor(by run: TransferRun) -> Bool { apps[run.session] == nil || questions.isLate(of: run.identifier) }

  func waitEnd(of run: TransferRun, after error: ErrorValue) -> Date? { questions.waitEnd(of: run, after: error) }

  func considerLaunch(_ session: Int64) { launcher.consider(session) }
}
