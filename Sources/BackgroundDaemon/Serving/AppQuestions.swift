import BackgroundTransfers
import Foundation
import URLLoadingSystem

/// Asks apps what only they can decide: challenges, and whether delayed transfers begin. A part of the daemon, confined to its queue.
final class AppQuestions: DaemonPart, @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  /// Seconds after which a transfer that waits for its app gets another attempt without it: a credential may have been stored meanwhile.
  private static let appPause = 3600.0
  /// Codes of `URLError` about authentication and TLS trust that an app could have prevented by its answer to a challenge.
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

  /// Drops the question whether a delayed transfer may begin, because the transfer is gone.
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
    // Another transfer may begin in the place of this one, until the app answers.
    requestTurn()
  }

  /// The app hasn't answered for `questionPatience` seconds: the transfer ends its attempt, so that the server gets its connection back, and waits
  /// for the app.
  private func expire(_ number: Int64) {
    guard isServing, case .challenge(let run, let challenge, let answer)? = table.open[number]?.subject else { return }
    if let app = apps[run.session], !app.answersChallenges {
      // The app has no delegate for challenges, only its credential storage was asked: the default handling applies, as without the app.
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

  /// Answers with a stored credential or the default handling where that may do. Otherwise, if the app takes challenges or can be launched, the
  /// transfer ends its attempt and waits for the app.
  private func answerWithoutApp(_ challenge: URLAuthenticationChallenge, of run: TransferRun, _ answer: QuestionTable.Answer) {
    let method = challenge.protectionSpace.authenticationMethod
    let isStored = challenge.proposedCredential != nil && challenge.previousFailureCount == 0
    // The default handling may succeed here: certificates are evaluated, and Negotiate uses the user's Kerberos ticket.
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

  /// Until when a transfer that has failed waits for its app: if the app isn't attached, or wasn't when it would have been asked, and its answer
  /// could have prevented the error. nil otherwise: the transfer fails.
  func waitEnd(of run: TransferRun, after error: ErrorValue) -> Date? { wouldHelp(run, after: error) ? waitEnd(of: run) : nil }

  private func wouldHelp(_ run: TransferRun, after error: ErrorValue) -> Bool {
    guard error.domain == URLErrorValue.domain, AppQuestions.trustErrors.contains(error.code) else { return false }
    guard let app = apps[run.session] else { return mayAnswer(run.session) }
    return run.lackedApp && app.answersChallenges
  }

  /// Whether the session's app would answer a challenge once it runs: it has said so when it attached, or the daemon can launch it.
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

  /// Takes the question off the table if it is a challenge of this app's session; otherwise the question stays open, because the answer is of the
  /// wrong kind.
  private func challengeAsked(_ number: Int64, of app: AppAttachment) -> QuestionTable.Subject? {
    switch table.open[number]?.subject {
    case .challenge, .late: table.take(number, from: app.session)
    case .delay, nil: nil
    }
  }

  /// The app has answered a late challenge: the transfer begins a new attempt, in which the app is asked again.
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

  /// The run is ending: its challenge is cancelled, and a later answer of the app is ignored.
  func withdrawQuestion(of run: TransferRun) {
    guard let number = run.question else { return }
    endQuestion(of: run)
    guard case .challenge(_, _, let answer)? = table.take(number, from: run.session) else { return }
    answer(.cancelAuthenticationChallenge, nil)
  }

  /// The app has detached: its challenges are answered without it, and its delayed transfers begin with the next turns, which the caller requests.
  func withdrawQuestions(of session: Int64) {
    for number in table.numbers(of: session) {
      switch table.take(number, from: session) {
      case .challenge(let run, let challenge, let answer):
        endQuestion(of: run)
        answerWithoutApp(challenge, of: run, answer)
      case .delay(let transfer): runner.table.scheduler.answered(transfer)
      case .late, nil: break
      }
    }
  }

  // MARK: delayed transfers

  /// Asks the app by `willBeginDelayedRequest` before the first attempt of a transfer that has an `earliestBeginDate`.
  /// - Returns: Whether the app was asked, so that the transfer waits for its answer.
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

  /// Takes the app's answer to `willBeginDelayedRequest`.
  /// - Parameter cancel: Cancels the transfer, if that is the answer.
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
    // The transfer waits for its turn, as others do: while the app was asked, others may have taken the places.
    batch.afterCommit { [weak self] in self?.requestTurn() }
  }

  /// Sends an app that has attached again the questions that its earlier connection hasn't answered.
  func askAgain(_ app: AppAttachment) {
    for number in table.numbers(of: app.session) {
      switch table.open[number]?.subject {
      case .challenge(let run, let challenge, _):
        let question = BackgroundCoding.question(challenge, task: run.transfer.order.task)
        app.link.send(DaemonMessage.challenge(question: number, question))
      case .delay(let identifier):
        guard let transfer = readable(identifier) else { continue }
        app.link.send(DaemonMessage.delayed(question: number, task: transfer.order.task))
      // The transfer begins a new attempt, whose challenge gets a new number.
      case .late: table.remove(number)
      case nil: break
      }
    }
  }
}
