import BackgroundTransfers
import Foundation
import URLLoadingSystem

/// Asks apps what only they can decide: challenges, and the beginning of delayed transfers. A part of the daemon, confined to its queue.
final class AppQuestions: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  /// Seconds after which a transfer that waits for its app is tried without it once more: a credential may have been stored meanwhile.
  private static let appPause = 3600.0
  /// What an app that answers challenges could have prevented.
  private static let trustErrors: Set<Int> = [-1013, -1200, -1201, -1202, -1203, -1204, -1205, -1206]

  let context: DaemonContext
  private let runner: TransferRunner
  private let apps: AttachedApps
  private let launcher: Launcher
  private let sessionEnds: SessionEnds
  private var table = QuestionTable()

  init(_ runner: TransferRunner, _ apps: AttachedApps, _ launcher: Launcher, _ sessionEnds: SessionEnds) {
    (context, self.runner, self.apps, self.launcher, self.sessionEnds) = (runner.context, runner, apps, launcher, sessionEnds)
  }

  /// A transfer that is no more isn't asked about.
  func remove(_ number: Int64) { table.remove(number) }

  func removeLate(of transfer: Int64) { table.removeLate(of: transfer) }

  func isLate(of transfer: Int64) -> Bool { table.isLate(of: transfer) }

  // MARK: challenges

  func answer(_ challenge: URLAuthenticationChallenge, of run: TransferRun, _ answer: @escaping QuestionTable.Answer) {
    guard !run.isEnding else { return answer(.cancelAuthenticationChallenge, nil) }
    guard let app = apps[run.session] else { return answerWithoutApp(challenge, of: run, answer) }
    guard app.mayAnswer(challenge) else { return answer(.performDefaultHandling, nil) }
    table.removeLate(of: run.identifier)
    let number = table.add(.challenge(run, challenge, answer), for: run.session)
    run.question = number
    runner.table.scheduler.lends(run.identifier)
    if app.knowsTasks {
      app.link.send(
        DaemonMessage.challenge(question: number, BackgroundCoding.question(challenge, task: run.transfer.order.task)))
    }
    loop.asyncAfter(deadline: .now() + options.questionPatience) { [weak self] in self?.expire(number) }
    // Its place is another's meanwhile.
    requestTurn()
  }

  /// The app hasn't answered: others of the session need the transfer's place, and the server its connection. It waits for the app.
  private func expire(_ number: Int64) {
    guard isServing, case .challenge(let run, let challenge, let answer)? = table.open[number]?.subject else { return }
    if let app = apps[run.session], !app.answersChallenges {
      // Its storage alone was asked, without which the transfer is what it is without its app.
      table.remove(number)
      endQuestion(of: run)
      answer(.performDefaultHandling, nil)
      return requestTurn()
    }
    table.putOff(number, of: run.identifier)
    endQuestion(of: run)
    park(run, for: challenge)
    answer(.cancelAuthenticationChallenge, nil)
  }

  /// With what is stored. Where that doesn't do and the app takes challenges, or can be launched, the transfer waits for it.
  private func answerWithoutApp(_ challenge: URLAuthenticationChallenge, of run: TransferRun, _ answer: QuestionTable.Answer) {
    let method = challenge.protectionSpace.authenticationMethod
    let isStored = challenge.proposedCredential != nil && challenge.previousFailureCount == 0
    // A ticket of Kerberos may do, and certificates are evaluated.
    let hasDefault = [NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodNegotiate].contains(method)
    guard !isStored, !hasDefault, mayAnswer(run.session) else {
      run.lackedApp = true
      return answer(.performDefaultHandling, nil)
    }
    park(run, for: challenge)
    answer(.cancelAuthenticationChallenge, nil)
  }

  private func park(_ run: TransferRun, for challenge: URLAuthenticationChallenge) {
    note("\(WaitReason.app) (\(challenge.protectionSpace.host))", transfer: run.identifier)
    runner.stop(run, .parked(next: waitEnd(of: run), reason: WaitReason.app))
  }

  /// Until when a transfer that has failed waits for its app, which could have helped it: one that isn't there, or wasn't when it would have
  /// been asked. nil if it couldn't.
  func waitEnd(of run: TransferRun, after error: ErrorValue) -> Date? { wouldHelp(run, after: error) ? waitEnd(of: run) : nil }

  private func wouldHelp(_ run: TransferRun, after error: ErrorValue) -> Bool {
    guard error.domain == URLErrorValue.domain, AppQuestions.trustErrors.contains(error.code) else { return false }
    guard let app = apps[run.session] else { return mayAnswer(run.session) }
    return run.lackedApp && app.answersChallenges
  }

  /// Whether the session's app answers challenges when it is there again: it has said so, or is started to do it.
  private func mayAnswer(_ session: Int64) -> Bool {
    let isKnownTo = (try? record(of: session))??.answersChallenges ?? false
    return isKnownTo || launcher.canLaunch(session)
  }

  private func waitEnd(of run: TransferRun) -> Date { min(run.transfer.deadline, now.addingTimeInterval(AppQuestions.appPause)) }

  func take(_ reply: ChallengeReply, to number: Int64, from app: AppAttachment) {
    guard apps.has(app), let subject = challengeAsked(number, of: app) else { return }
    do { try sessionEnds.endLaunchPauses(of: app.session) } catch { report("the queue can't be written: \(error)") }
    switch subject {
    case .challenge(let run, let challenge, let answer):
      endQuestion(of: run)
      let (disposition, credential) = BackgroundCoding.answer(reply, to: challenge)
      answer(disposition, credential)
    case .late(let transfer): beginAnew(transfer)
    case .delay: break
    }
    requestTurn()
  }

  /// An answer of the wrong kind leaves the question open.
  private func challengeAsked(_ number: Int64, of app: AppAttachment) -> QuestionTable.Subject? {
    switch table.open[number]?.subject {
    case .challenge, .late: table.take(number, from: app.session)
    case .delay, nil: nil
    }
  }

  /// The app is there after all: the transfer doesn't wait any longer.
  private func beginAnew(_ identifier: Int64) {
    if let run = runner.table.runs[identifier], case .ending(.parked) = run.phase { run.phase = .ending(.parked(next: nil, reason: nil)) }
    do {
      guard let transfer = try queue.transfer(identifier), transfer.waitReason == WaitReason.app else { return }
      try queue.keepAttempt(transfer.attempts, next: nil, reason: nil, identifier)
    } catch {
      report("the queue can't be written: \(error)")
    }
  }

  private func endQuestion(of run: TransferRun) {
    run.question = nil
    runner.table.scheduler.takesBack(run.identifier)
  }

  /// The run ends: it needs no answer any more.
  func withdrawQuestion(of run: TransferRun) {
    guard let number = run.question else { return }
    endQuestion(of: run)
    guard case .challenge(_, _, let answer)? = table.take(number, from: run.session) else { return }
    answer(.cancelAuthenticationChallenge, nil)
  }

  /// The app has gone.
  func withdrawQuestions(of session: Int64) {
    for number in table.numbers(of: session) {
      switch table.take(number, from: session) {
      case .challenge(let run, let challenge, let answer):
        endQuestion(of: run)
        answerWithoutApp(challenge, of: run, answer)
      case .delay(let transfer):
        runner.table.scheduler.answered(transfer)
        proceed(transfer)
      case .late, nil: break
      }
    }
  }

  // MARK: delayed transfers

  /// Asks the app before the first attempt of a transfer with an earliest beginning.
  /// - Returns: Whether its answer is awaited.
  func asksApp(before transfer: TransferQueue.Transfer) -> Bool {
    let identifier = transfer.identifier
    guard transfer.order.earliestBegin != nil, transfer.attempts == 0, transfer.resumeData == nil,
      runner.table.scheduler.mayAsk(before: identifier),
      let app = apps[transfer.session], app.answersDelays
    else { return false }
    let number = table.add(.delay(transfer: identifier), for: transfer.session)
    runner.table.scheduler.asks(before: identifier, question: number)
    if app.knowsTasks { app.link.send(DaemonMessage.delayed(question: number, task: transfer.order.task)) }
    return true
  }

  /// - Parameter cancel: Cancels the transfer, as the app wants.
  func take(
    _ reply: DelayedReply, to number: Int64, from app: AppAttachment, _ batch: MessageBatch,
    cancel: (TransferQueue.Transfer) throws -> Void
  ) throws {
    guard case .delay(let identifier)? = table.open[number]?.subject, table.take(number, from: app.session) != nil else { return }
    runner.table.scheduler.answered(identifier)
    guard let transfer = try queue.transfer(identifier) else { return }
    switch reply {
    case .proceed: break
    case .replace(let request): try queue.replaceRequest(request, identifier)
    case .cancel: return try cancel(transfer)
    }
    batch.afterCommit { [weak self] in self?.proceed(identifier) }
  }

  private func proceed(_ identifier: Int64) {
    guard isServing, let transfer = readable(identifier), !transfer.isSuspended else { return requestTurn() }
    runner.check(transfer)
  }

  /// An app that has attached is asked what its earlier connection hasn't answered.
  func askAgain(_ app: AppAttachment) {
    for number in table.numbers(of: app.session) {
      switch table.open[number]?.subject {
      case .challenge(let run, let challenge, _):
        let question = BackgroundCoding.question(challenge, task: run.transfer.order.task)
        app.link.send(DaemonMessage.challenge(question: number, question))
      case .delay(let identifier):
        guard let transfer = readable(identifier) else { continue }
        app.link.send(DaemonMessage.delayed(question: number, task: transfer.order.task))
      // It begins anew, and is asked about with another number.
      case .late: table.remove(number)
      case nil: break
      }
    }
  }
}
